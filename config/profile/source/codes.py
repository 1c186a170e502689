"""Codes of the errors that are found while a profile is read, before the rules check it."""

from __future__ import annotations

from functools import partial

from config.diagnostics import Code, Severity, codes_of, made_code

_DOC = "docs/reference/profiles.md"


_code, _warning, _note = (partial(made_code, severity, source=_DOC) for severity in Severity)


NOT_NAMED = _code(
    "PRO001",
    "every command names a profile",
    "A stack is built from a profile. Add `--context profile=NAME` to cdk, or the name to ultracluster.",
)
UNKNOWN = _code(
    "PRO002",
    "a profile is the name of a built-in profile or the path of a YAML file",
    "The value is neither a built-in profile nor an existing file.",
)
UNREADABLE = _code(
    "PRO003",
    "a profile is a readable text file",
    "The path is a folder, the file is not UTF-8 text, or its permissions do not allow reading.",
)
NOT_YAML = _code(
    "PRO004",
    "a profile is one YAML 1.2 document",
    "The parser stops at the given line and does not read the rest of the file.",
    source="https://yaml.org/spec/1.2.2/",
)
NOT_A_MAPPING = _code(
    "PRO005",
    "a profile is a mapping of keys to values",
    "A list, a number or an empty file does not contain keys.",
)
EXTENDS = _code(
    "PRO006",
    "`extends` names a built-in profile or a file, without a cycle",
    "The base profile was not found, or the chain of `extends` refers back to the same profile.",
)
UNKNOWN_KEY = _code(
    "PRO010",
    "every key of a profile is known",
    "If a misspelt key were ignored, the default value would apply, and the cluster would differ from the profile.",
)
WRONG_TYPE = _code(
    "PRO011",
    "every value has the type of its key",
    "Values are not converted, because `count: '16'` can be a wrong quote or a wrong key.",
)
NOT_IN_SET = _code(
    "PRO012",
    "a value is one of the values that its key allows",
    "AWS accepts only these values, or ultracluster supports only these.",
)
MISSING_KEY = _code(
    "PRO013",
    "a required key is set",
    "The part needs this value, and no default is right for every cluster.",
)
OUT_OF_RANGE = _code(
    "PRO014",
    "a number, text or list is within its limits",
    "AWS rejects values outside these limits.",
)
WRONG_UNIT = _code(
    "PRO015",
    "a value is a number in the unit of its key",
    "FSx counts 1.2 TiB of Lustre as 1200 GiB. A guessed conversion can be wrong by 2 to 10 percent.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/getting-started.html",
)
WRONG_FORM = _code(
    "PRO016",
    "a text has the form that its key requires",
    "AWS rejects other forms, or interprets them differently.",
)

DATA_PROFILE = _code(
    "PRO026",
    "the data profile is readable and does not have errors",
    "A cluster needs the zone, the CIDR blocks and the file systems of its data profile.",
)
INHERITED_NAME = _warning(
    "PRO028",
    "a profile that extends another sets its own name",
    "The name of the profile is the name of its stack. With the same name, a deployment changes the stack of the "
    "base profile.",
)
WAIVER_UNKNOWN = _code(
    "PRO040",
    "a waiver names a code that exists",
    "A waiver with a misspelt code has no effect, and the finding still stops the synthesis.",
)
WAIVER_REFUSED = _code(
    "PRO041",
    "a waiver names a code that can be waived",
    "Warnings and notes can be waived. Errors can be waived only if they depend on facts that AWS changes over time, "
    "such as the services of a Region, purchase options or quotas. Other errors lead to a template that fails.",
)
WAIVER_TWICE = _code(
    "PRO042",
    "a code is waived once",
    "With two waivers of one code, it is not clear which reason applies.",
)
WAIVER_UNUSED = Code(
    code="PRO043",
    severity=Severity.WARNING,
    holds="a waiver applies to a finding",
    why="The finding no longer exists. If the waiver remains, it hides the next finding with the same code.",
    source=_DOC,
)
ROLES_LEFT_OUT = _note(
    "ORC026",
    "with --orchestrator, a profile keeps only groups with roles of the new control plane",
    "EKS does not use Slurm controller and login nodes, because AWS runs its control plane.",
)

SYSTEM_ADDED = _note(
    "ORC031",
    "with --orchestrator, a Kubernetes cluster has system nodes",
    "GPU nodes have taints, so DNS, controllers and schedulers need nodes without GPUs. The system group uses the "
    "instance type of the Slurm controller.",
)

CODES = codes_of(globals())
