"""Prices: how a model's is found, what a bad table says, what tokens come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_mmreason.errors import UsageError
from pytest_mmreason.models.presets import load
from pytest_mmreason.pricing import FREE, Cost, Price, Prices, cost, read

OWN = """
[models]
"my-*" = { input = 1, output = 2 }
"my-large-*" = { input = 3, output = 4 }
"gpt-4o" = { input = 0.5, output = 0.5 }
"hf:./mine" = { input = 7, output = 7 }
"python:mine:answer" = { input = 0, output = 0 }
"""


def own(folder: Path, text: str = OWN) -> Path:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("spec", "price"),
    [
        ("openai:gpt-4o", Price(2.5, 10)),
        ("openai:gpt-4o-2024-08-06", Price(2.5, 10)),
        ("openai:gpt-4o-2024-05-13", Price(5, 15)),  # a release with a price of its own
        ("openai:gpt-4o-mini", Price(0.15, 0.6)),
        ("openai:openai/gpt-4o-mini-2024-07-18", Price(0.15, 0.6)),
        ("openai:gpt-4-0613", Price(30, 60)),
        ("openai:gpt-4-1106-preview", Price(10, 30)),
        ("openai:claude-opus-4-6", Price(5, 25)),
        ("openai:gpt-4o-audio-preview", None),
        ("openai:unheard-of", None),
        ("python:gpt-4o:answer", None),
        ("fixture", None),
        ("hf:./gpt-4o", FREE),
        ("tiny", FREE),
        ("replay:mini", FREE),
        ("local", FREE),
    ],
)
def test_the_bundled_price_of_a_spec(spec: str, price: Price | None) -> None:
    assert Prices().of(spec) == price


@pytest.mark.parametrize(
    ("spec", "price"),
    [
        ("openai:my-small", Price(1, 2)),
        ("openai:my-large-3", Price(3, 4)),
        ("openai:gpt-4o", Price(0.5, 0.5)),
        ("openai:gpt-4o-2024-05-13", Price(0.5, 0.5)),  # what is not there, by the user's gpt-4o
        ("openai:gpt-4", Price(30, 60)),
        ("hf:./mine", Price(7, 7)),
        ("python:mine:answer", FREE),
    ],
)
def test_the_users_table_comes_first(tmp_path: Path, spec: str, price: Price) -> None:
    assert Prices.of_file(own(tmp_path)).of(spec) == price


def test_a_price_may_stand_under_the_whole_spec(tmp_path: Path) -> None:
    path = own(tmp_path, '[models]\n"openai:mine" = { input = 1, output = 2 }\n')
    assert Prices.of_file(path).of("openai:mine") == Price(1, 2)
    assert Prices.of_file(path).of("openai:other") is None


def test_what_the_papers_asked_of_openai_has_a_price() -> None:
    hosted = [p for p in load().values() if p.backend == "openai" and p.checkpoint]
    assert len(hosted) == 2
    assert all(Prices().of(preset.asked(preset.name)) for preset in hosted)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[models]\n"a" = {\n', "at line 2"),
        ('[models]\n"a" = { input = 1, output = 2 }\n"a" = 3\n', "at line 3"),
        ("", "it has no table [models]"),
        ("models = 3\n", "it has no table [models]"),
        ("[models]\n", "it has no table [models]"),
        ('[model]\n"a" = { input = 1, output = 2 }\n', "'model' is no key of a price table"),
        ('[models]\n"a" = 3\n', 'models."a" is 3, not { input = USD, output = USD }'),
        ('[models]\n"a" = { input = 1 }\n', 'models."a" lacks output'),
        (
            '[models]\n"a" = { input = 1, output = 2, cached = 1 }\n',
            "models.\"a\" has a key 'cached'",
        ),
        (
            '[models]\n"a" = { input = "1", output = 2 }\n',
            "models.\"a\".input is '1', not a number",
        ),
        ('[models]\n"a" = { input = true, output = 2 }\n', 'models."a".input is True'),
        ('[models]\n"a" = { input = 1, output = -2 }\n', 'models."a".output is -2'),
        ('[models]\n"a" = { input = 1, output = nan }\n', 'models."a".output is nan'),
        ('[models]\n"a" = { input = inf, output = 1 }\n', 'models."a".input is inf'),
        (f'[models]\n"a" = {{ input = 1{"0" * 400}, output = 1 }}\n', 'models."a".input is 10'),
        (
            '[models]\n"a" = { input = 1, output = 1e308 }\n',
            'models."a".output is 1e+308; a number from 0 to 1,000,000,000 is needed',
        ),
    ],
)
def test_a_bad_table_names_the_line_or_the_key(tmp_path: Path, text: str, told: str) -> None:
    path = own(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        read(path, "--mm-prices")
    assert str(caught.value).startswith(f"--mm-prices {path}: ")
    assert told in str(caught.value)


def test_all_faults_of_a_table_are_told_at_once(tmp_path: Path) -> None:
    path = own(tmp_path, '[models]\n"a" = 3\n"b" = { input = -1, output = 1 }\n')
    with pytest.raises(UsageError, match=r'models\."a" is 3.*models\."b"\.input is -1'):
        read(path, "--mm-prices")


def test_a_table_saved_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = own(tmp_path, '\ufeff[models]\n"a" = { input = 1, output = 2 }\n')
    assert read(path, "--mm-prices") == {"a": Price(1, 2)}


@pytest.mark.parametrize("content", [b"\xff\xfe", None], ids=["no-utf8", "absent"])
def test_a_file_that_cannot_be_read_is_a_usage_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "own.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"--mm-prices .*own\.toml: "):
        Prices.of_file(path)


@pytest.mark.parametrize(
    ("usage", "price", "expected"),
    [
        ((3, 1_000_000, 500_000), Price(2, 10), Cost(7.0)),
        ((3, 100, 100), FREE, Cost(0.0)),
        ((3, 0, 0), FREE, Cost(0.0)),
        ((0, 0, 0), None, Cost(0.0)),  # who made no call spent nothing, whatever the price
        ((3, 100, 0), None, Cost(None, unpriced=True)),
        ((3, 0, 0), None, Cost(None)),
        ((3, 0, 0), Price(2, 10), Cost(None)),  # calls whose tokens nobody told
    ],
)
def test_cost(usage: tuple[int, int, int], price: Price | None, expected: Cost) -> None:
    names = ("calls", "prompt_tokens", "completion_tokens")
    assert cost(dict(zip(names, usage, strict=True)), price) == expected
