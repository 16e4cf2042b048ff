"""Each option takes what it says, and says what it takes where it is given something else."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mmreason.options import OPTIONS, Option, names_benchmark
from pytest_mmreason.settings import ErrorQuota, Settings, Threshold

BY_NAME = {option.name: option for option in OPTIONS}


@pytest.mark.parametrize(
    "name, text, value",
    [
        ("model", "openai:gpt-4o", "openai:gpt-4o"),
        ("prompt", "cot", "cot"),
        ("follow_up", "steps", "steps"),
        ("images", "none", "none"),
        ("on_error", "zero", "zero"),
        ("cache", "off", "off"),
        ("judge_runs", "5", 5),
        ("retries", "0", 0),
        ("show", "0", 0),
        ("seed", "7", 7),
        ("timeout", "0.5", 0.5),
        ("item_threshold", "0", 0.0),
        ("item_threshold", "1", 1.0),
        ("max_errors", "3", ErrorQuota(3)),
        ("budget", "0.5", 0.5),
        ("max_errors", "2.5%", ErrorQuota(2.5, percent=True)),
        ("max_errors", "10 %", ErrorQuota(10, percent=True)),
        ("threshold", "60", Threshold("overall", 60.0)),
        ("threshold", "analogical=40.5", Threshold("analogical", 40.5)),
        ("threshold", "mini:tag:a=b=0", Threshold("mini:tag:a=b", 0.0)),
        ("param", "temperature=0", ("temperature", 0)),
        ("param", 'stop=["\\n"]', ("stop", ["\n"])),
        ("param", "flag=true", ("flag", True)),
        ("param", "name=gpt=4", ("name", "gpt=4")),
        ("param", "empty=", ("empty", "")),
        ("param", "top_p=NaN", ("top_p", "NaN")),
    ],
)
def test_what_it_takes(name: str, text: str, value: Any) -> None:
    found = BY_NAME[name].parse(text)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    "name, text, words",
    [
        ("prompt", "cots", "is 'cots', not one of direct, cot. Did you mean 'cot'?"),
        ("images", "concatt", "is 'concatt', not one of separate, concat, none, captions=FILE"),
        ("images", "captions", "is 'captions'; write captions=FILE"),
        ("images", "captions=", "is 'captions='; write captions=FILE"),
        ("images", "concat=a", "is 'concat=a', not one of"),
        ("icl", "-1", "is -1; at least 0 is needed"),
        ("follow_up", "", "is '', not one of none, steps"),
        ("cache", "On", "not one of on, off, refresh, only. Did you mean 'on'"),
        ("judge_runs", "0", "is 0; at least 1 is needed"),
        ("repeats", "two", "is 'two', not a whole number"),
        ("repeats", "1.5", "is '1.5', not a whole number"),
        ("concurrency", "-4", "is -4; at least 1 is needed"),
        ("retries", "-1", "is -1; at least 0 is needed"),
        ("limit", "0", "is 0; at least 1 is needed"),
        ("timeout", "0", "is 0; above 0 is needed"),
        ("timeout", "nan", "is nan; above 0 is needed"),
        ("timeout", "soon", "is 'soon', not a number"),
        ("item_threshold", "1.01", "is 1.01; at least 0 and at most 1 is needed"),
        ("item_threshold", "-0.1", "is -0.1; at least 0 and at most 1 is needed"),
        ("max_disagreement", "2", "at least 0 and at most 1 is needed"),
        ("max_errors", "-1", "is -1; at least 0 is needed"),
        ("max_errors", "101%", "at most 100 is needed"),
        ("max_errors", "%", "is '', not a number"),
        ("max_errors", "2.5", "is '2.5', not a whole number"),
        ("threshold", "101", "'101': the score is 101; at least 0 and at most 100 is needed"),
        ("threshold", "high=", "'high=': the score is '', not a number"),
        ("threshold", "high=x", "'high=x': the score is 'x', not a number"),
        ("threshold", "=5", "is '=5'; write ROW=SCORE, or SCORE for the overall row"),
        ("threshold", "high=nan", "at least 0 and at most 100 is needed"),
        ("param", "temperature", "is 'temperature'; write KEY=VALUE, for example temperature=0"),
        ("param", "=3", "is '=3'; write KEY=VALUE"),
    ],
)
def test_what_it_does_not_take(name: str, text: str, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        BY_NAME[name].parse(text)
    assert words in str(caught.value)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_option_has_a_setting_a_flag_and_an_ini_name(option: Option) -> None:
    assert option.name in Settings.__dataclass_fields__
    assert option.flag == "--mm-" + option.name.replace("_", "-")
    assert option.dest == f"mm_{option.name}"
    assert option.help.endswith(".") or option.help.endswith(")")


def test_every_setting_has_an_option() -> None:
    assert set(Settings.__dataclass_fields__) - set(BY_NAME) <= {"directory", "bases"}


@pytest.fixture
def usage_error(pytester: pytest.Pytester) -> Any:
    """Runs pytest with options; returns its message, which must come with exit 4."""

    def run(*arguments: str, ini: str = "") -> str:
        if ini:
            pytester.makefile(".ini", pytest=f"[pytest]\n{ini}\n")
        result = pytester.runpytest_inprocess("--mm-model=replay:gone.json", *arguments)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        return result.stderr.str()

    return run


@pytest.mark.parametrize(
    "argument, words",
    [
        ("--mm-retries=many", "--mm-retries is 'many', not a whole number"),
        ("--mm-threshold=high=x", "--mm-threshold 'high=x': the score is 'x', not a number"),
        ("--mm-prompt=cots", "--mm-prompt is 'cots', not one of direct, cot"),
        ("--mm-max-disagreement=0.1", "--mm-max-disagreement gates --mm-agreement=FILE"),
        ("--mm-subset=gone.json", "--mm-subset"),
    ],
)
def test_a_usage_error_names_the_option(usage_error: Any, argument: str, words: str) -> None:
    assert words in usage_error(argument)


def test_a_usage_error_of_an_ini_file_names_the_file(usage_error: Any) -> None:
    message = usage_error(ini="mm_retries = many")
    assert "mm_retries in pytest.ini is 'many', not a whole number" in message


def test_only_the_command_line_names_a_benchmark(pytester: pytest.Pytester) -> None:
    pytester.makefile(".ini", pytest="[pytest]\nmm_benchmark = mini\n")
    assert not names_benchmark(pytester.parseconfig())
    assert names_benchmark(pytester.parseconfig("--mm-benchmark=mini"))
