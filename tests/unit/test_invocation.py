"""The command line as reports show it: what decides a run, and no secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_mmreason.invocation import told

SECRET = "hunter2-9f8e7d"


def test_own_options_and_those_that_select_are_told_in_order() -> None:
    given = ["--mm-model=tiny", "-m", "ocr and high", "--mm-limit", "5", "-x", "tests", "-k", "a"]
    assert told(given) == ("--mm-model=tiny", "-m 'ocr and high'", "--mm-limit=5", "-k a")


def test_a_switch_takes_no_value() -> None:
    given = ["--mm-trust-remote-code", "--mm-model=hf:m", "--", "--mm-limit=1"]
    assert told(given, ["--mm-trust-remote-code"]) == ("--mm-trust-remote-code", "--mm-model=hf:m")


@pytest.mark.parametrize(
    "given",
    [
        [f"--mm-base-url=https://user:{SECRET}@host/v1"],
        [f"--mm-base-url=user:{SECRET}@host/v1"],
        ["--mm-judge-base-url", f"https://host/v1?api-key={SECRET}"],
        [f"--mm-param=api_key={SECRET}"],
        ["--mm-judge-param", f'extra_headers={{"X-Key": "{SECRET}"}}'],
        [f'--mm-param=extra_body={{"auth": {{"api_key": "{SECRET}"}}}}'],
        [f"--mm-benchmark=https://user:{SECRET}@host/data"],
        [f"--token={SECRET}", "--other", SECRET, "-p", SECRET],
    ],
)
def test_no_secret_is_told(given: list[str]) -> None:
    found = told([*given, "--mm-limit=3"])
    assert SECRET not in " ".join(found)
    assert found[-1] == "--mm-limit=3"


def test_parameters_stay_as_they_were_written() -> None:
    assert told(["--mm-param=temperature=0.2", "--mm-param", "stop=a b"]) == (
        "--mm-param=temperature=0.2", "'--mm-param=stop=a b'",
    )  # fmt: skip


def test_no_folder_of_the_machine_is_told(tmp_path: Path) -> None:
    given = [
        f"--mm-benchmark=mm-vet={tmp_path / 'data'}",
        f"--mm-output={tmp_path}",
        "--mm-limit=3",
    ]
    inside = told(given, folder=tmp_path)
    assert inside == ("--mm-benchmark=mm-vet=data", "--mm-output=.", "--mm-limit=3")
    outside = told(given, folder=tmp_path / "elsewhere")
    assert "mm-vet=…/data" in outside[0] and str(tmp_path.parent) not in " ".join(outside)
