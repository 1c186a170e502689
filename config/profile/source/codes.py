"""The codes of what can be wrong with a profile before any rule looks at it."""

from __future__ import annotations

from functools import partial

from config.diagnostics import Code, Severity, codes_of, made_code

_DOC = "docs/reference/profiles.md"


_code, _warning, _note = (partial(made_code, severity, source=_DOC) for severity in Severity)


NOT_NAMED = _code(
    "PRO001",
    "a command names the profile that it works on",
    "Without a profile there is nothing to build. Give `--context profile=NAME` to cdk, or the name to ultracluster.",
)
UNKNOWN = _code(
    "PRO002",
    "a profile is a built-in name or the path of a YAML file",
    "The name is not one of the built-in profiles and no such file exists.",
)
UNREADABLE = _code(
    "PRO003",
    "a profile is a readable text file",
    "The file is a folder, is not UTF-8, or the permissions forbid reading it.",
)
NOT_YAML = _code(
    "PRO004",
    "a profile is one YAML 1.2 document",
    "The parser stops at the given line; nothing after it was read.",
    source="https://yaml.org/spec/1.2.2/",
)
NOT_A_MAPPING = _code(
    "PRO005",
    "a profile is a mapping of keys to values",
    "A list, a number or an empty file has no keys to read.",
)
EXTENDS = _code(
    "PRO006",
    "`extends` names a built-in profile or a file, and ends somewhere",
    "The profile that this one builds on was not found, or the chain of `extends` comes back to where it was.",
)
UNKNOWN_KEY = _code(
    "PRO010",
    "every key of a profile is one that ultracluster knows",
    "A misspelt key that is passed over silently leaves a default in its place: the cluster is then not the one asked for.",
)
WRONG_TYPE = _code(
    "PRO011",
    "every value has the type of its key",
    "Values are never converted silently: `count: '16'` may be a mistake of quoting or of key.",
)
NOT_IN_SET = _code(
    "PRO012",
    "a value from a closed set is one of its words",
    "The service knows only these values, or ultracluster builds only these.",
)
MISSING_KEY = _code(
    "PRO013",
    "a key without a safe default is stated",
    "The part cannot be built without the value, and no default is right for every cluster.",
)
OUT_OF_RANGE = _code(
    "PRO014",
    "a number, text or list is within its bounds",
    "The service refuses values outside these bounds.",
)
WRONG_UNIT = _code(
    "PRO015",
    "a value is a plain number in the unit that its key names",
    "AWS counts 1.2 TiB of Lustre as 1200 GiB; a unit that is converted by guess is wrong by 2 or 10 percent.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/getting-started.html",
)
WRONG_FORM = _code(
    "PRO016",
    "a text has the form that its key asks for",
    "The service refuses other forms, or would read them as something else.",
)

DATA_PROFILE = _code(
    "PRO026",
    "the data profile can be read and has no errors of its own",
    "A cluster needs the zone, blocks and file system of its data profile.",
)
INHERITED_NAME = _warning(
    "PRO028",
    "a profile that extends another has a name of its own",
    "The name is the stack's: deployed beside the profile that it extends, it would change that one's stack.",
)
WAIVER_UNKNOWN = _code(
    "PRO040",
    "a waiver names a code that exists",
    "A misspelt code waives nothing, and the finding that it means stops the synthesis all the same.",
)
WAIVER_REFUSED = _code(
    "PRO041",
    "a waiver names a code that can be waived",
    "Warnings and notes can be, and errors that state a fact of AWS which changes with time: what a Region offers, "
    "how a type is sold, a quota. Of any other error there is no template that would work.",
)
WAIVER_TWICE = _code(
    "PRO042",
    "a code is waived once",
    "With two reasons nobody knows which one holds.",
)
WAIVER_UNUSED = Code(
    code="PRO043",
    severity=Severity.WARNING,
    holds="a waiver waives something",
    why="What it was written for is gone; left in place it would hide the next finding of its code.",
    source=_DOC,
)
ROLES_LEFT_OUT = _note(
    "ORC026",
    "a profile that is tried under another control plane keeps the groups that this one has",
    "Slurm's controller and login nodes mean nothing to EKS, whose control plane is AWS's own.",
)

SYSTEM_ADDED = _note(
    "ORC031",
    "a profile that is tried under Kubernetes has nodes for what the cluster itself runs",
    "GPU nodes are tainted: names, controllers and schedulers need nodes without GPUs. Slurm's controller is such a "
    "machine, so its type is taken.",
)

CODES = codes_of(globals())
