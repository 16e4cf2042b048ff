"""Every option has an ini twin, in every kind of configuration file that pytest reads."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

import pytest

from pytest_mmreason.settings import Shard
from tests.support.project import Project

SHOW_SETTINGS = """
    import pathlib
    from dataclasses import asdict

    import pytest

    from pytest_mmreason.options import read_settings

    def pytest_configure(config):
        text = repr(asdict(read_settings(config)))
        (pathlib.Path(__file__).parent / "settings.txt").write_text(text)
        pytest.exit("that is all", returncode=0)
"""

# Words, whole numbers, numbers, lists, and paths; each differs from its default.
VALUES: dict[str, Any] = {
    "model": ["openai:a", "openai:b"],
    "benchmark": ["made"],
    "corrections": "off",
    "judge": "keyword",
    "base_url": "http://127.0.0.1:1/v1",
    "judge_base_url": "http://127.0.0.1:2/v1",
    "api_key_env": "MY_KEY",
    "judge_api_key_env": "MY_OTHER_KEY",
    "param": ["temperature=0.5", "stop=end"],
    "judge_param": ["seed=1"],
    "prompt": ["cot", "direct"],
    "follow_up": "steps",
    "icl": 2,
    "images": "captions=caps.jsonl",
    "judge_runs": 2,
    "repeats": 3,
    "concurrency": 4,
    "timeout": 1.5,
    "retries": 0,
    "limit": 5,
    "sample": ["s1", "s2"],
    "subset": "subset.json",
    "shard": "2/3",
    "seed": 7,
    "threshold": ["60", "analogical=40.5"],
    "item_threshold": 0.25,
    "max_errors": "10%",
    "on_error": "zero",
    "baseline": "main",
    "max_drop": 2.5,
    "allow_different": ["judge,data", "prompt"],
    "output": "out",
    "show": 0,
    "agreement": "graded.json",
    "compare": ["published", "gpt-4v"],
    "max_disagreement": 0.5,
    "cache_dir": "cache",
    "cache": "off",
    "device": "cuda:1",
    "dtype": "bfloat16",
    "batch_size": 4,
    "trust_remote_code": "on",
}


def as_ini(values: dict[str, Any]) -> str:
    lines = []
    for name, value in values.items():
        shown = "".join(f"\n    {v}" for v in value) if isinstance(value, list) else value
        lines.append(f"mm_{name} = {shown}")
    return "[pytest]\n" + "\n".join(lines)


def as_toml(table: str, values: dict[str, Any], *, strings: bool = False) -> str:
    shown = {k: str(v) if strings and not isinstance(v, list) else v for k, v in values.items()}
    return f"[{table}]\n" + "\n".join(f"mm_{k} = {json.dumps(v)}" for k, v in shown.items())


def settings(project: Project, *args: str) -> dict[str, Any]:
    """What a session of that configuration was told to do."""
    (project.path / "conftest.py").write_text(dedent(SHOW_SETTINGS))
    result = project.run_plain(*args)
    assert result.ret == 0, result.stderr.str()
    text = (project.path / "settings.txt").read_text()
    namespace = {"PosixPath": str, "WindowsPath": str, "inf": float("inf"), "Shard": Shard}
    found: dict[str, Any] = eval(text, namespace)
    return found


FILES = {
    "pytest.ini": as_ini(VALUES),
    "ini_options": as_toml("tool.pytest.ini_options", VALUES, strings=True),
    "native": as_toml("tool.pytest", VALUES),
    "pytest.toml": as_toml("pytest", VALUES),
}


@pytest.mark.parametrize("kind", FILES)
def test_every_option_is_read_from_every_kind_of_file(project: Project, kind: str) -> None:
    name = kind if kind.startswith("pytest.") else "pyproject.toml"
    (project.path / name).write_text(FILES[kind])
    found = settings(project)
    here = str(project.path)
    assert found["model"] == ("openai:a", "openai:b")
    assert found["benchmark"] == ("made",)
    assert found["param"] == {"temperature": 0.5, "stop": "end"}
    assert found["judge_param"] == {"seed": 1}
    assert found["threshold"] == (
        {"row": "overall", "score": 60.0},
        {"row": "analogical", "score": 40.5},
    )
    assert tuple(found["shard"]) == (2, 3)
    assert found["max_errors"] == {"limit": 10.0, "percent": True}
    assert found["compare"] == ("published", "gpt-4v")
    assert found["allow_different"] == ("judge", "data", "prompt")
    assert (found["prompt"], found["sample"]) == (("cot", "direct"), ("s1", "s2"))
    for path in ("subset", "output", "baseline", "agreement", "cache_dir"):
        assert found[path] == f"{here}/{VALUES[path]}"
    plain = {k: v for k, v in VALUES.items() if not isinstance(v, list)} | {
        "images": f"captions={here}/caps.jsonl",
        "subset": found["subset"],
        "shard": found["shard"],
        "output": found["output"],
        "baseline": found["baseline"],
        "agreement": found["agreement"],
        "cache_dir": found["cache_dir"],
        "max_errors": found["max_errors"],
        "trust_remote_code": True,
    }
    assert {name: found[name] for name in plain} == plain
    for number in (
        "judge_runs",
        "repeats",
        "concurrency",
        "retries",
        "icl",
        "limit",
        "seed",
        "show",
        "batch_size",
    ):
        assert type(found[number]) is int
    for number in ("timeout", "item_threshold", "max_disagreement"):
        assert type(found[number]) is float


def test_table_above_holds_every_option() -> None:
    from pytest_mmreason.options import OPTIONS

    assert set(VALUES) == {option.name for option in OPTIONS}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pytest.ini", "[pytest]\nmm_model = openai:a\nmm_threshold = 60\nmm_max_errors = 3"),
        (
            "pyproject.toml",
            '[tool.pytest.ini_options]\nmm_model = "openai:a"\nmm_threshold = "60"\nmm_max_errors = "3"',
        ),
        (
            "pyproject.toml",
            '[tool.pytest]\nmm_model = "openai:a"\nmm_threshold = 60\nmm_max_errors = 3\nmm_cache = false',
        ),
        ("pytest.toml", '[pytest]\nmm_model = "openai:a"\nmm_threshold = [60]\nmm_max_errors = 3'),
    ],
)
def test_one_string_or_number_stands_for_a_list(project: Project, name: str, content: str) -> None:
    (project.path / name).write_text(content)
    found = settings(project)
    assert found["model"] == ("openai:a",)
    assert found["threshold"] == ({"row": "overall", "score": 60.0},)
    assert found["max_errors"] == {"limit": 3, "percent": False}
    assert found["cache"] == ("off" if "mm_cache" in content else "on")


@pytest.mark.parametrize("kind", FILES)
def test_o_overrides_the_file(project: Project, kind: str) -> None:
    name = kind if kind.startswith("pytest.") else "pyproject.toml"
    (project.path / name).write_text(FILES[kind])
    found = settings(project, "-o", "mm_retries=3", "-o", "mm_model=openai:c", "-o", "mm_timeout=9")
    assert (found["retries"], found["model"], found["timeout"]) == (3, ("openai:c",), 9.0)


def test_command_line_wins_and_replaces_a_list_whole(project: Project) -> None:
    (project.path / "pytest.toml").write_text(FILES["pytest.toml"])
    found = settings(
        project,
        "--mm-model=openai:c",
        "--mm-threshold=high=10",
        "--mm-param=top_p=1",
        "--mm-prompt=direct",
        "--mm-limit=2",
    )
    assert found["model"] == ("openai:c",)
    assert found["threshold"] == ({"row": "high", "score": 10.0},)
    assert found["param"] == {"top_p": 1}
    assert (found["prompt"], found["limit"]) == (("direct",), 2)


def test_explicit_zero_wins(project: Project) -> None:
    project.pytester.makefile(
        ".ini", pytest="[pytest]\nmm_retries = 4\nmm_show = 4\nmm_threshold = 50\nmm_seed = 4"
    )
    zeros = ["--mm-retries=0", "--mm-show=0", "--mm-threshold=0", "--mm-seed=0"]
    found = settings(project, *zeros)
    assert (found["retries"], found["show"], found["seed"]) == (0, 0, 0)
    assert found["threshold"] == ({"row": "overall", "score": 0.0},)


def test_explicit_zero_is_honoured_by_the_run(project: Project) -> None:
    result = project.run("--mm-model=python:models_of_mine:wrong", "--mm-show=0")
    result.stdout.no_fnmatch_line("*lowest*")
    shown = project.run("--mm-model=python:models_of_mine:wrong", "--mm-show=1")
    shown.stdout.fnmatch_lines(["=* mmreason: lowest sample =*"])


@pytest.mark.parametrize(
    ("line", "args", "expected"),
    [
        ("mm_trust_remote_code = true", [], True),
        ("mm_trust_remote_code = false", [], False),
        ('mm_trust_remote_code = "off"', ["--mm-trust-remote-code"], True),
        ("mm_trust_remote_code = true", ["-o", "mm_trust_remote_code=off"], False),
        ("", ["--mm-trust-remote-code", "."], True),
    ],
)
def test_switch_takes_no_value_on_the_command_line_and_a_truth_in_the_file(
    project: Project, line: str, args: list[str], expected: bool
) -> None:
    (project.path / "pytest.toml").write_text(f"[pytest]\n{line}")
    assert settings(project, *args)["trust_remote_code"] is expected


def test_auto_wins_over_a_batch_size_of_the_file(project: Project) -> None:
    (project.path / "pytest.toml").write_text("[pytest]\nmm_batch_size = 4")
    assert settings(project)["batch_size"] == 4
    assert settings(project, "--mm-batch-size=auto")["batch_size"] is None


def test_paths_of_an_ini_are_relative_to_it_and_of_the_command_line_to_the_working_folder(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.pytester.makefile(".ini", pytest="[pytest]\nmm_output = out\nmm_benchmark = ./made")
    (project.path / "deep").mkdir()
    monkeypatch.chdir(project.path / "deep")
    found = settings(project, "--rootdir=..", "--confcutdir=..", "..", "--mm-subset=ids.json")
    assert found["output"] == str(project.path / "out")
    assert found["benchmark"] == (str(project.path / "made"),)
    assert found["subset"] == str(project.path / "deep" / "ids.json")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("mm_retries = many", "mm_retries in pytest.ini is 'many', not a whole number"),
        ("mm_timeout = nan", "mm_timeout in pytest.ini is nan; above 0 is needed"),
        ("mm_images = concatt", "mm_images in pytest.ini is 'concatt', not one of *"),
        ("mm_batch_size = 0", "mm_batch_size in pytest.ini is 0; at least 1 is needed; or auto*"),
        (
            "mm_trust_remote_code = yes",
            "mm_trust_remote_code in pytest.ini is 'yes', not one of on, off*",
        ),
    ],
)
def test_bad_value_names_the_ini_option_and_its_file(
    project: Project, line: str, message: str
) -> None:
    project.pytester.makefile(".ini", pytest=f"[pytest]\n{line}")
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}*"])


def test_table_in_a_toml_is_a_usage_error_that_says_what_is_needed(project: Project) -> None:
    (project.path / "pytest.toml").write_text("[pytest]\nmm_limit = {a = 1}")
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*mm_limit*string*"])
