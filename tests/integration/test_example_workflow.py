"""``examples/github``: the workflow's steps run here, and are the same in both files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

from tests.support.benchmarks import MINI_SAMPLES, read_summary

EXAMPLE = Path(__file__).parents[2] / "examples" / "github"
SCRIPT = (EXAMPLE / "run_locally.sh").read_text(encoding="utf-8")
WORKFLOW: dict[Any, Any] = yaml.safe_load((EXAMPLE / "mmreason.yml").read_text(encoding="utf-8"))
STEPS = [(job, step) for name, job in WORKFLOW["jobs"].items() for step in job["steps"]]
COMMANDS = {
    step["name"]: step["run"] for _, step in STEPS if "run" in step and step["name"] != "Install"
}


def test_the_script_runs_the_workflows_commands_in_its_order() -> None:
    blocks = re.findall(r"^( *)# --- (.+)\n((?:.*\n)*?)\1# ---$", SCRIPT, re.MULTILINE)
    assert [(name, dedent(text)) for _, name, text in blocks] == list(COMMANDS.items())


def test_every_variable_of_a_command_is_set_in_both() -> None:
    own = {"against"}
    for job, step in STEPS:
        if step.get("name") not in COMMANDS:
            continue
        wanted = set(re.findall(r"\$\{?(\w+)", step["run"])) - own
        told = {**WORKFLOW["env"], **job.get("env", {}), **step.get("env", {})}
        assert wanted <= set(told)
        exported = {name for line in re.findall(r"export (.+)", SCRIPT) for name in line.split()}
        assert wanted <= exported


def test_no_expression_stands_in_a_command() -> None:
    # What an event brings along, a branch's name say, must not become part of a command.
    assert all("${{" not in step.get("run", "") for _, step in STEPS)


def test_secrets_reach_the_step_that_needs_them_and_no_other() -> None:
    secret = {step.get("name") for _, step in STEPS if "secrets." in str(step)}
    assert secret == {"Evaluate a shard"}
    assert "secrets." not in str(WORKFLOW["env"])
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in WORKFLOW[True]  # YAML's `on`


def test_there_are_as_many_shards_as_it_says() -> None:
    shards = WORKFLOW["jobs"]["evaluate"]["strategy"]["matrix"]["shard"]
    assert shards == list(range(1, int(WORKFLOW["env"]["SHARDS"]) + 1))


def test_what_a_step_restores_a_later_one_saves() -> None:
    kept: dict[str, list[str]] = {}
    for _, step in STEPS:
        action = step.get("uses", "").partition("@")[0]
        if action.startswith("actions/cache"):
            kept.setdefault(step["with"]["path"], []).append(action.rpartition("/")[2])
            assert step["with"]["key"].endswith("${{ github.run_id }}-${{ github.run_attempt }}")
    assert kept == {".mmreason/cache": ["restore", "save"], "baseline": ["restore", "save"]}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """What a run of the script left behind, and its log."""
    shell = shutil.which("sh")
    if shell is None:
        pytest.skip("there is no POSIX shell")
    folder = tmp_path_factory.mktemp("store")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [shell, str(EXAMPLE / "run_locally.sh"), str(folder)],
        env={**os.environ, "PATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout


def test_main_and_an_equal_pull_request_pass_and_a_worse_one_fails(
    store: tuple[Path, str],
) -> None:
    folder, log = store
    ends = re.findall(r"^=== ([\w-]+): (passed|failed)$", log, re.MULTILINE)
    assert ends == [("main", "passed"), ("pull-request", "passed"), ("worse", "failed")]
    kinds = {}
    for run, _ in ends:
        summary = read_summary(folder / run / "report")
        gates = summary["runs"][0]["gates"]
        kinds[run] = {gate["kind"] for gate in gates}
        assert summary["exit"] == (run == "worse")
        assert summary["runs"][0]["counts"]["scored"] == MINI_SAMPLES
    assert kinds["main"] == {"threshold"}  # there was nothing to compare with
    assert kinds["pull-request"] == kinds["worse"] == {"threshold", "max_drop"}
    baseline = read_summary(folder / "cache" / "mmreason-baseline")
    assert baseline["runs"][0]["model"] == "replay:mini"


def test_the_worse_one_is_annotated_and_every_job_has_its_page(store: tuple[Path, str]) -> None:
    folder, log = store
    before, found, after = log.partition("=== worse: evaluate-1")
    assert found
    assert "::error" not in before
    errors = re.findall(r"^::error title=([^:]+)::(.+)$", after, re.MULTILINE)
    assert errors
    assert {title for title, _ in errors} == {"mmreason%3A Worse than the baseline"}
    for run in ("main", "pull-request", "worse"):
        for job in ("evaluate-1", "evaluate-2", "gate"):
            page = (folder / run / f"{job}.md").read_text(encoding="utf-8")
            word = "FAIL" if (run, job) == ("worse", "gate") else "PASS"
            assert page.startswith(f"**{word}** ")
