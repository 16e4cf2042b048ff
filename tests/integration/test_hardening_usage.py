"""What a user can mend is told once, with exit 4, whenever it is met; paths may hold anything."""

from __future__ import annotations

import pytest

from tests.support.benchmarks import read_summary, sample, write_answers, write_benchmark
from tests.support.project import Project

BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
OWN = """
def test_own(mm_sample, mm_evaluate):
    mm_evaluate(mm_sample)
"""


@BOTH
@pytest.mark.parametrize(
    ("ini", "told"),
    [
        ("mm_model = openia:x", "*unknown name 'openia'. Did you mean 'openai'?*"),
        ("mm_model = replay:absent.json", "*absent.json: No such file or directory*"),
        ("mm_model = replay:mini\nmm_benchmark = nowhere", "*nowhere: neither a benchmark's name*"),
        ("mm_model = replay:mini\nmm_threshold = absent=3", "*no row 'absent' in mini*"),
    ],
    ids=["model", "file", "benchmark", "row"],
)
def test_a_bad_ini_is_a_usage_error_where_the_command_line_names_tests(
    project: Project, workers: tuple[str, ...], ini: str, told: str
) -> None:
    tests = project.pytester.mkdir("tests")
    (tests / "test_one.py").write_text(OWN, encoding="utf-8")
    (tests / "test_two.py").write_text(OWN, encoding="utf-8")
    project.pytester.makeini(f"[pytest]\n{ini}\n")
    result = project.run_plain("tests", *workers)
    assert result.ret == 4
    text = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in text
    assert "Traceback" not in text
    said = result.stdout if told.strip("*")[:8] in result.stdout.str() else result.stderr
    said.fnmatch_lines([told])


def test_a_bad_ini_stays_unsaid_where_no_test_asks_for_a_sample(project: Project) -> None:
    project.pytester.makeini("[pytest]\nmm_model = openia:x\n")
    project.pytester.makepyfile(test_plain="def test_plain(): pass")
    assert project.run_plain("test_plain.py").ret == 0


def test_names_that_an_error_offers_are_inert(project: Project) -> None:
    project.write_samples([sample(0, category="\x1b[31mred")])
    result = project.run("--mm-threshold=rod=3")
    assert result.ret == 4
    assert "\\x1b[31mred" in result.stderr.str()
    assert "\x1b[31m" not in result.stderr.str().replace("\x1b[31mERROR", "ERROR")


@pytest.mark.parametrize("spec", ["./a=b/made", "{path}/a=b/made", "mine=a=b/made"])
def test_a_benchmarks_path_may_hold_an_equals_sign(project: Project, spec: str) -> None:
    write_benchmark(project.path / "a=b" / "made", [sample(0), sample(1)])
    benchmark = f"--mm-benchmark={spec.format(path=project.path)}"
    result = project.run_plain(project.model, benchmark)
    result.assert_outcomes(passed=2)
    assert result.ret == 0


def test_recordings_of_one_name_are_told_apart_by_folders_below_the_repository(
    project: Project,
) -> None:
    for folder in ("first", "second"):
        project.pytester.mkdir(folder)
        write_answers(project.path / folder / "answers.json", {"s0": "answer0"})
    options = ("--mm-model=replay:first/answers.json", "--mm-model=replay:second/answers.json")
    found = (*options, project.made, "--mm-sample=s0")
    assert project.run_plain(*found, "--mm-output=out").ret == 0
    models = [run["model"] for run in read_summary(project.path / "out")["runs"]]
    assert models == ["replay:first/answers.json", "replay:second/answers.json"]
    assert not any(project.path.name in item for item in project.ids(*found))


def test_a_file_name_that_is_no_utf_8_keeps_no_report_from_being_written(project: Project) -> None:
    name = "pr\udce9dictions.json"
    write_answers(project.path / name, {"s0": "answer0"})
    result = project.run_plain(
        f"--mm-model=replay:{name}", project.made, "--mm-sample=s0", "--mm-output=out"
    )
    assert result.ret == 0
    text = (project.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert "udce9dictions.json on made" in text
