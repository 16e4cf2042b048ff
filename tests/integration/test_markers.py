"""Categories, complexities, capabilities and tags are plain, registered markers."""

from __future__ import annotations

import pytest

from tests.support.benchmarks import sample
from tests.support.project import Project

MINE = "--mm-benchmark=made"


def chosen(project: Project, expression: str, *args: str) -> list[str]:
    """The sample ids that ``-m`` leaves."""
    ids = project.ids(project.model, project.made, "-m", expression, *args)
    return [i.split("[")[1].rstrip("]") for i in ids]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("analogical and high", ["s5"]),
        ("ocr and not math", ["s1"]),
        ("multi_image", ["s3"]),
        ("counter_intuitive", ["s4"]),
        ("mmreason and moderate", ["s0", "s2", "s4"]),
        ("not mmreason", []),
        ("chart or 空间", ["s0", "s1"]),
    ],
)
def test_m_chooses_by_what_a_sample_is(
    project: Project, expression: str, expected: list[str]
) -> None:
    rows = [sample(n) for n in range(6)]
    rows[0] |= {"capabilities": ["ocr", "math"], "tags": ["chart"]}
    rows[1] |= {"capabilities": ["ocr", "rec"], "tags": ["空间"]}
    rows[3]["images"] = ["a.png", "b.png"]
    rows[4]["counter_intuitive"] = True
    project.write_samples(rows)
    assert chosen(project, expression, "--strict-markers") == expected


def test_m_asks_for_nothing_else_under_workers(project: Project) -> None:
    result = project.run("-m", "analogical and high", "--strict-markers", "-n2")
    assert result.ret == 0
    result.assert_outcomes(passed=1)
    assert project.asked() == ["s5"]


def test_m_over_both_samples_and_tests_of_ones_own(project: Project) -> None:
    project.pytester.makepyfile(
        """
        import pytest
        @pytest.mark.high
        def test_mine(): pass
        def test_other(): pass
        """
    )
    result = project.run("-m", "high", "--strict-markers")
    assert result.ret == 0
    result.assert_outcomes(passed=4, deselected=4)


UNFIT = {
    "skip": "mm_skip",
    "usefixtures": "mm_usefixtures",
    "parametrize": "mm_parametrize",
    "xfail": "mm_xfail",
    "flaky": "mm_flaky",
    "a-b": "a_b",
    "_private": "private",
    "class": "mm_class",
    "3d": "mm_3d",
    "two words": "two_words",
}


@pytest.mark.parametrize("args", [(), ("-n2",)])
def test_unfit_names_are_rewritten_run_and_printed(project: Project, args: tuple[str, ...]) -> None:
    project.write_samples([sample(n, tags=[tag]) for n, tag in enumerate([*UNFIT, "空间"])])
    result = project.run("--strict-markers", *args)
    assert result.ret == 0
    result.assert_outcomes(passed=len(UNFIT) + 1)
    (printed,) = [line for line in result.outlines if line.startswith(" markers: ")]
    pairs = printed.removeprefix(" markers: ").split(", ")
    assert pairs == [f"'{tag}' as {name}" for tag, name in UNFIT.items()]


def test_rewritten_names_are_printed_where_nothing_runs_and_can_be_chosen(
    project: Project,
) -> None:
    project.write_samples([sample(n, tags=[tag]) for n, tag in enumerate(UNFIT)])
    result = project.run("--collect-only")
    result.stdout.fnmatch_lines(["mmreason: markers: 'skip' as mm_skip, *"])
    for number, name in enumerate(UNFIT.values()):
        assert chosen(project, name, "--strict-markers") == [f"s{number}"]


def test_names_that_meet_stay_apart(project: Project) -> None:
    tags = ["a-b", "a b", "a_b"]
    project.write_samples([sample(n, tags=[tag]) for n, tag in enumerate(tags)])
    assert chosen(project, "a_b") == ["s2"]
    assert chosen(project, "a_b_2") == ["s0"]
    assert chosen(project, "a_b_3") == ["s1"]


def test_marker_of_ones_own_ini_is_not_taken(project: Project) -> None:
    project.pytester.makefile(".ini", pytest="[pytest]\nmarkers = logical: mine alone")
    project.write_samples([sample(0, category="logical"), sample(1)])
    project.pytester.makepyfile("import pytest\n@pytest.mark.logical\ndef test_mine(): pass")
    result = project.run("-m", "logical", "--strict-markers", "-v")
    result.assert_outcomes(passed=1, deselected=2)
    assert project.calls() == []
    result = project.run("-m", "mm_logical")
    result.assert_outcomes(passed=1, deselected=2)
    result.stdout.fnmatch_lines([" markers: 'logical' as mm_logical"])


def test_marker_of_another_plugin_is_not_taken(project: Project) -> None:
    project.pytester.makeconftest(
        """
        def pytest_configure(config):
            config.addinivalue_line("markers", "slow(seconds=1): skipped by this repository")

        def pytest_runtest_setup(item):
            assert not item.get_closest_marker("slow")
        """
    )
    project.write_samples([sample(0, tags=["slow"])])
    result = project.run("--strict-markers")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([" markers: 'slow' as mm_slow"])


def test_ini_that_declares_a_standard_name_itself_keeps_it(project: Project) -> None:
    project.pytester.makefile(".ini", pytest="[pytest]\nmarkers = high: mine")
    assert chosen(project, "high", "--strict-markers") == ["s1", "s3", "s5"]


def test_category_named_like_a_total_neither_collides_nor_breaks(project: Project) -> None:
    project.write_samples(
        [sample(0, category="overall"), sample(1, tags=["overall", "high"]), sample(2)]
    )
    assert chosen(project, "overall") == ["s0", "s1"]
    assert project.run("--mm-output=out", "-n2").ret == 0
    from tests.support.benchmarks import read_summary

    (run,) = read_summary(project.path / "out")["runs"]
    assert run["rows"]["overall"]["n"] == 3


def test_standard_markers_are_registered_without_a_model(project: Project) -> None:
    result = project.run_plain("--markers")
    for name in ("mmreason", "deductive", "high", "ocr", "multi_image", "counter_intuitive"):
        result.stdout.fnmatch_lines([f"@pytest.mark.{name}: *"])
