"""Strategies for fuzz cases: valid and mutated profiles, profiles of schema values, and damaged files."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.profile.orchestrator import ORCHESTRATORS
from config.profile.source.reference import built_in_names
from config.profile.source.yaml_source import read_yaml
from config.rules.example_rows import ProfileExample, examples
from scripts.tools.fuzz.case import MAIN, Case
from scripts.tools.fuzz.profiles.clusters import clusters, clusters_on, data_profiles
from scripts.tools.fuzz.values.mutations import HOSTILE, mutated, with_other_values, wrong_values
from scripts.tools.fuzz.values.schema_values import ROOT, definition, of_key, of_model
from scripts.tools.fuzz.values.texts import block, damaged, written

Data = dict[str, Any]
BASE, DATA = "base.yaml", "data.yaml"


@st.composite
def valid_cases(draw: DrawFn) -> Case:
    """Generate consistent profiles, written into one file, split into two, or attached to a data profile."""
    if draw(st.integers(0, 5)) == 0:
        found: Case = draw(_data_cases())
        return found
    data = draw(clusters())
    files, about = draw(_layered(data))
    return Case(files=files, about=("a valid profile", *about))


@st.composite
def _data_cases(draw: DrawFn) -> Case:
    data_profile = draw(data_profiles())
    if draw(st.booleans()):
        files, about = draw(_layered(data_profile))
        return Case(files=files, about=("a data profile", *about))
    cluster = draw(clusters_on(data_profile, DATA))
    files = {MAIN: _encoded(draw(written(cluster))), DATA: _encoded(draw(written(data_profile)))}
    return Case(files=files, about=("a cluster on a data profile",))


@st.composite
def _layered(draw: DrawFn, data: Data) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Write the data into one file, into two files, or into a file that extends a built-in profile."""
    way = draw(st.sampled_from(["alone", "alone", "split", "over"]))
    if way == "split":
        below = {key: value for key, value in data.items() if draw(st.booleans())}
        above = {"extends": BASE, **{key: value for key, value in data.items() if key not in below}}
        files = {MAIN: _encoded(draw(written(above))), BASE: _encoded(draw(written(below)))}
        return files, ("split over two files",)
    if way == "over":
        name = draw(st.sampled_from(built_in_names()))
        absent = {key: None for key in _parts() if key not in data}
        text = draw(written({"extends": name, **data, **absent}))
        return {MAIN: _encoded(text)}, (f"over {name}",)
    return {MAIN: _encoded(draw(written(data)))}, ()


def _parts() -> list[str]:
    """Return the keys of the layers, which a profile can remove from its base profile."""
    return ["network", "data", "compute", "storage", "orchestrator", "observability", "workload"]


@st.composite
def small_cases(draw: DrawFn) -> Case:
    """Generate profiles that extend a built-in profile and set a few keys, as most users do."""
    name = draw(st.sampled_from(built_in_names()))
    keys = [key for key in definition(ROOT)["properties"] if key != "extends"]
    chosen = draw(st.lists(st.sampled_from(keys), unique=True, max_size=3))
    data = {"extends": name, **{key: draw(of_key(ROOT, key)) for key in chosen}}
    return Case(files={MAIN: _encoded(draw(written(data)))}, about=(f"a few keys over {name}",))


@st.composite
def schema_cases(draw: DrawFn) -> Case:
    """Generate any profile that the schema accepts."""
    data = draw(of_model(ROOT))
    if draw(st.booleans()):
        data.pop("extends", None)
    return Case(files={MAIN: _encoded(draw(written(data)))}, about=("any value of the schema",))


@st.composite
def mutated_cases(draw: DrawFn) -> Case:
    """Generate a profile with one to four wrong values or keys."""
    source = clusters() | data_profiles() | of_model(ROOT)
    data, ways = draw(mutated(draw(source), draw(st.integers(1, 4))))
    if draw(st.integers(0, 3)) == 0:
        data = {"extends": draw(st.sampled_from(built_in_names())), **data}
    return Case(files={MAIN: _encoded(draw(written(data)))}, about=ways)


@st.composite
def other_value_cases(draw: DrawFn) -> Case:
    """Generate a valid profile, and replace one to three values with others that the schema accepts."""
    data, ways = draw(with_other_values(draw(clusters() | data_profiles()), draw(st.integers(1, 3))))
    files = {MAIN: _encoded(draw(written(data)))}
    if draw(st.integers(0, 3)) == 0:
        files = {MAIN: _encoded(draw(written({"extends": draw(st.sampled_from(built_in_names())), **data})))}
    if "data" in data:
        files[DATA] = _encoded(draw(written(draw(data_profiles()))))
    return Case(files=files, about=ways)


@cache
def _examples() -> tuple[ProfileExample, ...]:
    rows = (row for rows in examples().values() for row in rows)
    return tuple(row for row in rows if isinstance(row, ProfileExample))


@st.composite
def example_cases(draw: DrawFn) -> Case:
    """Generate an example of a rule, so that each code is reached; replace one value in some examples."""
    row = draw(st.sampled_from(_examples()))
    files = {name: _encoded(text) for name, text in row.files.items()}
    data = read_yaml(row.files.get(MAIN, "")).data
    if isinstance(data, dict) and draw(st.booleans()):
        changed, _ = draw(with_other_values(data, 1))
        files[MAIN] = _encoded(draw(written(changed)))
    return Case(
        files=files, orchestrator=row.orchestrator, profile=row.argument, about=("an example of a rule",)
    )


@st.composite
def named_cases(draw: DrawFn) -> Case:
    """Generate a profile name that does not exist, is empty or missing, or is the name of a folder."""
    profile = draw(
        st.sampled_from([None, "", "p6-b20", "none.yaml", "no/such.yaml", "sub", "sub/", *HOSTILE])
    )
    return Case(files={"sub/other.yaml": b"extends: p5\n"}, profile=profile, about=("a name",))


@st.composite
def damaged_cases(draw: DrawFn) -> Case:
    """Generate a file with damaged text."""
    text = block(draw(clusters() | data_profiles()))
    content, way = draw(damaged(text))
    if draw(st.integers(0, 3)) == 0:
        return Case(
            files={MAIN: b"extends: base.yaml\nname: mine\n", BASE: content}, about=(f"a base with {way}",)
        )
    return Case(files={MAIN: content}, about=(way,))


@st.composite
def extending_cases(draw: DrawFn) -> Case:
    """Generate profiles whose `extends` or `data` refers to a missing file, in a cycle or in a long chain."""
    way = draw(
        st.sampled_from(
            [
                "itself",
                "a cycle",
                "a missing file",
                "a long chain",
                "a folder",
                "an invalid name",
                "a wrong base",
            ]
        )
    )
    data: Data = {"name": "mine"}
    files: dict[str, Data] = {}
    key = draw(st.sampled_from(["extends", "extends", "data"]))

    def leads(name: Any) -> Data:
        return {"extends": name} if key == "extends" else {"data": {"profile": name}}

    if way == "itself":
        data |= leads(MAIN)
    elif way == "a cycle":
        data |= leads(BASE)
        files[BASE] = {"name": "below", **leads(MAIN)}
    elif way == "a missing file":
        data |= leads(
            draw(st.sampled_from(["p6-b20", "none.yaml", "", "a/b.yaml", "~nobody/x.yaml", *HOSTILE]))
        )
    elif way == "a long chain":
        length = draw(st.sampled_from([2, 15, 16, 17, 18, 30]))
        data |= leads("file-1.yaml")
        files = {f"file-{n}.yaml": {"name": f"n{n}", **leads(f"file-{n + 1}.yaml")} for n in range(1, length)}
        files[f"file-{length}.yaml"] = {"extends": "p6-b200-data"}
    elif way == "a folder":
        data |= leads(draw(st.sampled_from([".", "/", "./", "sub/", "..", "sub"])))
        files["sub/other.yaml"] = {}
    elif way == "an invalid name":
        data |= leads(draw(wrong_values()))
    else:
        data |= leads(BASE)
        files[BASE], _ = draw(mutated(draw(data_profiles()), 2))
    if draw(st.booleans()):
        data |= {k: v for k, v in draw(clusters()).items() if k != "name" and draw(st.booleans())}
    encoded = {name: _encoded(block(content)) for name, content in {MAIN: data, **files}.items()}
    return Case(files=encoded, about=(f"{key}: {way}",))


@st.composite
def cases(draw: DrawFn) -> Case:
    """Generate cases of all types; some set another control plane with `--orchestrator`."""
    if draw(st.integers(0, 49)) == 0:
        return draw(named_cases())
    of_all_kinds = (
        valid_cases(), valid_cases(), valid_cases(), other_value_cases(), other_value_cases(),
        mutated_cases(), mutated_cases(), small_cases(), schema_cases(), damaged_cases(), extending_cases(),
        example_cases(), example_cases(),
    )  # fmt: skip
    made: Case = draw(st.one_of(of_all_kinds))
    if draw(st.integers(0, 7)) or made.profile != MAIN:
        return made
    tried = draw(st.sampled_from(ORCHESTRATORS) | st.sampled_from(["slurm", "", "EKS", *HOSTILE[:4]]))
    return Case(files=made.files, orchestrator=tried, about=made.about)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", errors="surrogatepass")
