"""The options: one table makes the command line, the ini file and the Settings.

Every option has an ini twin of the same name with ``_``. The command line wins, and
replaces a list whole. `None` on the command line falls back to the ini file, so that
an explicit 0 is honoured.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pytest

if TYPE_CHECKING:
    from pytest_mmreason.settings import ErrorQuota, Settings, Shard, Threshold

SUITE_MODES = ("auto", "on", "off")
DEVICES = ("auto", "cpu", "cuda", "mps")


class Option(NamedTuple):
    """One row of the table; `parse` turns a string into the value or raises ValueError.

    names: what a path's option takes for a name, and no path.
    """

    name: str
    metavar: str
    help: str
    parse: Callable[[str], Any] = str
    repeat: bool = False
    is_path: bool = False
    names: tuple[str, ...] = ()
    is_switch: bool = False

    @property
    def flag(self) -> str:
        """The command-line name."""
        return "--" + self.dest.replace("_", "-")

    @property
    def dest(self) -> str:
        """The ini name and the attribute of pytest's namespace."""
        return f"mm_{self.name}"


def _choice(*values: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in values:
            from pytest_mmreason.errors import nearest

            hint = nearest(text, values)
            hint = f". {hint}" if hint.startswith("Did you mean") else ""
            raise ValueError(f"is {text!r}, not one of {', '.join(values)}{hint}")
        return text

    return parse


def whole(minimum: int) -> Callable[[str], int]:
    """What reads a whole number of at least `minimum`; ValueError for any other text."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise ValueError(f"is {text!r}, not a whole number") from None
        if value < minimum:
            raise ValueError(f"is {value}; at least {minimum} is needed")
        return value

    return parse


def _batch_size(text: str) -> int | None:
    try:
        return None if text == "auto" else whole(1)(text)
    except ValueError as error:
        raise ValueError(f"{error}; or auto, which finds one") from None


def _device(text: str) -> str:
    kind, found, number = text.partition(":")
    if kind not in DEVICES or (found and (kind != "cuda" or not number.isdecimal())):
        raise ValueError(f"is {text!r}, not one of auto, cpu, cuda, cuda:N, mps")
    return text


def number(
    minimum: float, maximum: float = math.inf, *, above: bool = False
) -> Callable[[str], float]:
    """What reads a number from `minimum`, or `above` it, to `maximum`; ValueError for others."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise ValueError(f"is {text!r}, not a number") from None
        if math.isnan(value) or not minimum <= value <= maximum or (above and value == minimum):
            upper = "" if maximum == math.inf else f" and at most {maximum:g}"
            raise ValueError(
                f"is {text}; {'above' if above else 'at least'} {minimum:g}{upper} is needed"
            )
        return value

    return parse


def _threshold(text: str) -> Threshold:
    from pytest_mmreason.settings import Threshold

    row, found, score = text.rpartition("=")
    how = "write ROW=SCORE, or SCORE for the overall row"
    if found and not row:
        raise ValueError(f"is {text!r}; {how}")
    try:
        return Threshold(row or "overall", number(0, 100)(score))
    except ValueError as error:
        raise ValueError(f"{text!r}: the score {error}; {how}") from None


def _shard(text: str) -> Shard:
    from pytest_mmreason.settings import Shard

    how = "write K/N, the K-th of N parts, for example 1/4"
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal()):
        raise ValueError(f"is {text!r}; {how}")
    if not 1 <= int(number) <= int(count):
        raise ValueError(f"is {text!r}; K goes from 1 to N: {how}")
    return Shard(int(number), int(count))


def _error_quota(text: str) -> ErrorQuota:
    from pytest_mmreason.settings import ErrorQuota

    try:
        if text.endswith("%"):
            return ErrorQuota(number(0, 100)(text[:-1].strip()), percent=True)
        return ErrorQuota(whole(0)(text))
    except ValueError as error:
        raise ValueError(f"{error}; write N or P%, for example 3 or 5%") from None


def _allowed(text: str) -> tuple[str, ...]:
    from pytest_mmreason.differences import WORDS

    return tuple(_choice(*WORDS)(word.strip()) for word in text.split(","))


def _published(text: str) -> str:
    from pytest_mmreason.published import check_name

    return check_name(text)


def _images(text: str) -> str:
    mode, _, file = text.partition("=")
    if mode != "captions":
        return _choice("separate", "concat", "none", "captions=FILE")(text)
    if not file:
        raise ValueError(f"is {text!r}; write captions=FILE, a file with the images' captions")
    return text


def _parameter(text: str) -> tuple[str, Any]:
    key, found, value = text.partition("=")
    if not found or not key:
        raise ValueError(f"is {text!r}; write KEY=VALUE, for example temperature=0")
    try:
        return key, json.loads(value, parse_constant=lambda name: name)
    except ValueError:
        return key, value


OPTIONS = (
    Option("model", "SPEC", "Model to evaluate: a preset such as llava, tiny, hf:REPO_OR_DIR, openai:NAME, replay:FILE, python:MODULE:ATTR or fixture. Repeatable; without one the plugin is dormant.", repeat=True),
    Option("benchmark", "NAME", "Benchmark: mini (bundled, the default), infimm-eval=DIR, mm-vet=DIR or mm-vet-v2=DIR (official files), DIR or NAME=DIR (the native format), or VLMEvalKit's FILE.tsv. Repeatable.", repeat=True),
    Option("corrections", "on|off", "on (the default): make the known corrections of official files, and say so; off: take them as published.", _choice("on", "off")),
    Option("judge", "SPEC", "Judge: local (offline, the default), keyword, openai:NAME, replay:FILE, python:MODULE:ATTR or fixture."),
    Option("base_url", "URL", "Endpoint of openai: models (default: $OPENAI_BASE_URL)."),
    Option("judge_base_url", "URL", "Endpoint of an openai: judge (default: $OPENAI_BASE_URL; never --mm-base-url)."),
    Option("api_key_env", "VAR", "Environment variable that holds the model's API key (default: OPENAI_API_KEY)."),
    Option("judge_api_key_env", "VAR", "Environment variable that holds the judge's API key (default: OPENAI_API_KEY)."),
    Option("param", "KEY=VALUE", "Generation parameter of the model, for example temperature=0; it replaces the preset's of that name. Repeatable.", _parameter, repeat=True),
    Option("judge_param", "KEY=VALUE", "Parameter of the judge. Repeatable.", _parameter, repeat=True),
    Option("prompt", "STRATEGY", "direct (the default) or cot: append the zero-shot chain-of-thought sentence. Repeatable: each is a run.", _choice("direct", "cot"), repeat=True),
    Option("follow_up", "MODE", "none (the default) or steps: ask for the reasoning where the first answer is not definitive, and judge both.", _choice("none", "steps")),
    Option("icl", "K", "Put K worked examples of the benchmark, drawn with --mm-seed, before each question (default: 0).", whole(0)),
    Option("images", "MODE", "separate (the default): send each image; concat: join a sample's images side by side; none: ask the question only; captions=FILE: send the images' captions in their place.", _images),
    Option("judge_runs", "N", "Judge each response N times; tables show mean and sd (default: 1).", whole(1)),
    Option("repeats", "N", "Ask the model N times per sample (default: 1).", whole(1)),
    Option("concurrency", "N", "Calls in flight per role (model, judge), all workers together (default: 16); local models have --mm-batch-size.", whole(1)),
    Option("timeout", "S", "Seconds that one call may take (default: 120); local models are never cut short.", number(0, above=True)),
    Option("retries", "N", "Retries of a failed call, beside as many waits that 429 replies ask for; 0 makes one attempt (default: 5). Local models fail for good.", whole(0)),
    Option("limit", "N", "Evaluate N samples, keeping the mix of categories and complexities; of them -m and -k take what they take.", whole(1)),
    Option("sample", "ID", "Evaluate the sample with this id. Repeatable.", repeat=True),
    Option("subset", "FILE", "Evaluate the samples whose ids stand in this JSON list.", is_path=True),
    Option("shard", "K/N", "Evaluate the K-th of N parts of the samples, for N machines; python -m pytest_mmreason merge makes one run of the parts.", _shard),
    Option("seed", "N", "Seed of every random choice (default: 0).", whole(0)),
    Option("threshold", "[ROW=]SCORE", "Fail the run if the row's score, 0-100, is below SCORE; bare means overall. Repeatable.", _threshold, repeat=True),
    Option("item_threshold", "S", "Fail the items of samples that score below S in [0, 1].", number(0, 1)),
    Option("max_errors", "N|P%", "Fail the run if more samples end in an error (default: 0).", _error_quota),
    Option("on_error", "MODE", "exclude (the default): leave errored samples out of the means; zero: count them as 0.", _choice("exclude", "zero")),
    Option("baseline", "PATH", "Compare with an earlier run, sample by sample: its output folder, or its results.jsonl.", is_path=True),
    Option("max_drop", "PTS", "With --mm-baseline: fail if a row loses more than PTS points, and significantly so.", number(0, 100)),
    Option("allow_different", "WHAT", "With --mm-baseline: compare though the runs differ in data, judge, judge-prompt, prompt or images; several with commas. Repeatable.", _allowed, repeat=True),
    Option("output", "DIR", "Write results.jsonl, summary.json, summary.md and predictions there.", is_path=True),
    Option("show", "N", "Show the N lowest samples at the end, and what made their scores (default: 3); -rP shows all that passed.", whole(0)),
    Option("compare", "NAME", "Show published results beside the run's own, and its rank: published (the paper's main ones), or the name of a result, model or table. Repeatable.", _published, repeat=True),
    Option("prices", "FILE", "TOML file with prices of models, in USD per million tokens; they come before the bundled ones.", is_path=True),
    Option("budget", "USD", "Stop before the calls of this run cost more, by the table of prices: exit 1, and finished answers are kept.", number(0, above=True)),
    Option("agreement", "NAME|FILE", "Measure the judge on graded answers instead of a model: mini (bundled), JSON lines, or a grade file of MM-Vet's evaluator.", is_path=True, names=("mini",)),
    Option("max_disagreement", "D", "With --mm-agreement: fail if the mean |judge - reference| exceeds D in [0, 1].", number(0, 1)),
    Option("cache_dir", "DIR", "Where responses and verdicts are kept (default: .mmreason/cache in rootdir).", is_path=True),
    Option("cache", "MODE", "on (the default); off; refresh: ask everything anew and keep the answers; only: make no call, a sample whose answer is not there fails.", _choice("on", "off", "refresh", "only")),
    Option("device", "DEVICE", "Where hf: models run: auto (the default: every CUDA device, else mps, else cpu), cpu, cuda, cuda:N or mps.", _device),
    Option("dtype", "TYPE", "Number format of hf: models: auto (the default: the checkpoint's on a GPU, float32 on the CPU), float32, float16 or bfloat16.", _choice("auto", "float32", "float16", "bfloat16")),
    Option("batch_size", "N", "Samples that a local model computes at a time: auto (the default) finds a number. Halved where memory runs out.", _batch_size),
    Option("trust_remote_code", "", "Run the code that an hf: checkpoint brings along. Off unless asked for; the ini file takes on or off.", lambda text: _choice("on", "off")(text) == "on", is_switch=True),
)  # fmt: skip


def add_options(parser: pytest.Parser) -> None:
    """Register every option with its ini twin, in the group "mmreason"."""
    group = parser.getgroup("mmreason", "multimodal reasoning benchmarks (mmreason)")
    for option in OPTIONS:
        how: dict[str, Any] = {"action": "append" if option.repeat else "store"}
        how["metavar"] = option.metavar
        if option.is_switch:
            how = {"action": "store_const", "const": "on"}
        group.addoption(option.flag, dest=option.dest, default=None, help=option.help, **how)
        ini_type: Literal["linelist", "string"] = "linelist" if option.repeat else "string"
        parser.addini(
            option.dest,
            option.help,
            type=ini_type,
            default=None,
        )
    group.addoption(
        "--mm-list",
        metavar="WHAT",
        default=None,
        help="Print models, judges or benchmarks and exit.",
    )
    parser.addini(
        "mm_suite",
        "When the bundled suite joins: auto (the default), on or off.",
        type="string",
        default="auto",
    )


def is_dormant(config: pytest.Config) -> bool:
    """True if neither the command line nor the ini file names a model or graded answers."""
    for name in ("mm_model", "mm_agreement"):
        try:
            given = config.getoption(name)
            if any(given) if given is not None else config.getini(name):
                return False
        except (pytest.UsageError, TypeError, ValueError):
            return False  # set, in a form that only read_settings knows how to read
    return True


def read_settings(config: pytest.Config) -> Settings:
    """The Settings of this session; UsageError names the option and what it takes."""
    from dataclasses import replace

    from pytest_mmreason.errors import UsageError
    from pytest_mmreason.settings import Settings, absolute_spec, check_baseline

    invocation = config.invocation_params.dir
    ini_directory = config.inipath.parent if config.inipath else config.rootpath
    bases: dict[str, Path] = {}
    values: dict[str, Any] = {"directory": invocation, "bases": bases}
    for option in OPTIONS:
        given, source, base = config.getoption(option.dest), option.flag, invocation
        if given is None:
            given, base = _read_ini(config, option), ini_directory
            source = f"{option.dest} in {config.inipath.name if config.inipath else 'the ini file'}"
        if given is None or given == []:
            continue
        texts = given if isinstance(given, list) else [given]
        if option.name in ("model", "compare", "baseline") and not any(texts):
            continue  # --mm-model=, --mm-compare= and --mm-baseline= switch off the ini file's
        bases[option.name] = base
        if option.name in ("model", "benchmark", "judge", "images"):
            texts = [absolute_spec(text, base) for text in texts]
        try:
            parsed = [
                Path(t)
                if t in option.names
                else base / Path(t).expanduser()
                if option.is_path
                else option.parse(t)
                for t in texts
            ]
        except ValueError as error:
            raise UsageError(f"{source} {error}") from None
        values[option.name] = tuple(parsed) if option.repeat else parsed[-1]
    for name in ("param", "judge_param"):
        values[name] = dict(values.get(name, ()))
    values["allow_different"] = sum(values.get("allow_different", ()), ())
    if config.getoption("mm_baseline") == "":  # with what an ini file says about it
        values |= {"max_drop": None, "allow_different": ()}
    for name in ("model", "benchmark", "prompt", "sample", "allow_different"):
        values[name] = tuple(dict.fromkeys(values.get(name, ())))
    settings = Settings(**{k: v for k, v in values.items() if v != ()})
    if not settings.cache_dir.is_absolute():
        settings = replace(settings, cache_dir=config.rootpath / settings.cache_dir)
    if settings.max_disagreement is not None and settings.agreement is None:
        raise UsageError("--mm-max-disagreement gates --mm-agreement=FILE, which is not given")
    check_baseline(settings)
    return settings


def command_line(config: pytest.Config) -> tuple[str, ...]:
    """The options that this session was given, as reports may show them."""
    from pytest_mmreason.invocation import told

    switches = [option.flag for option in OPTIONS if option.is_switch]
    given = config.invocation_params
    return told([str(argument) for argument in given.args], switches, given.dir)


def only_looks(config: pytest.Config) -> bool:
    """True where pytest collects, or sets up, but runs no test: then nothing may be asked."""
    ways = ("collectonly", "showfixtures", "show_fixtures_per_test", "setuponly", "setupplan")
    return any(getattr(config.option, way, False) for way in ways)


def read_suite_mode(config: pytest.Config) -> str:
    """ini ``mm_suite``; UsageError if it is none of SUITE_MODES."""
    from pytest_mmreason.errors import UsageError, nearest

    mode = str(config.getini("mm_suite"))
    if mode not in SUITE_MODES:
        raise UsageError(
            f"mm_suite is {mode!r}, not one of {', '.join(SUITE_MODES)}. {nearest(mode, SUITE_MODES)}"
        )
    return mode


def names_benchmark(config: pytest.Config) -> bool:
    """True if the command line itself names a benchmark."""
    return config.getoption("mm_benchmark") is not None


def _read_ini(config: pytest.Config, option: Option) -> Any:
    """The ini value as a string or list of strings, or None if it is not set.

    pytest's native TOML tables are typed strictly; a lone string for a list, and a
    number for an option that also takes words, are accepted by reading the table again.
    """
    try:
        value = config.getini(option.dest)
    except (pytest.UsageError, TypeError, ValueError):
        value = _native_toml(config).get(option.dest)
        if value is None:
            raise
    if value is None:
        return None
    if isinstance(value, list):
        return [_ini_text(config, option, item) for item in value]
    text = _ini_text(config, option, value)
    return [text] if option.repeat else text


def _ini_text(config: pytest.Config, option: Option, value: object) -> str:
    if isinstance(value, bool) and (option.name in ("cache", "corrections") or option.is_switch):
        return "on" if value else "off"
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        from pytest_mmreason.errors import UsageError

        raise UsageError(
            f"{option.dest} in {config.inipath} is {value!r}; a string or number is needed"
            + (", or a list of them" if option.repeat else "")
        )
    return str(value)


def _native_toml(config: pytest.Config) -> Mapping[str, Any]:
    if config.inipath is None or config.inipath.suffix != ".toml":
        return {}
    import tomllib

    document = tomllib.loads(config.inipath.read_text(encoding="utf-8"))
    if config.inipath.name == "pyproject.toml":
        document = document.get("tool", {})
    table = document.get("pytest", {})
    return table if isinstance(table, dict) else {}
