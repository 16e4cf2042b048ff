"""What a run cost: in the terminal, in summary.md and in summary.json, alone and distributed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import read_records, read_summary, sample, write_benchmark
from tests.support.endpoint import Endpoint, Reply
from tests.support.runs import answers, by_model, flat, number_of, run, verdict

BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
PRICES = """
[models]
"m" = { input = 1000, output = 10000 }
"j" = { input = 100, output = 1000 }
"""
# A reply of the endpoint tells 10 tokens in and 2 out.
MODEL_CALL, JUDGE_CALL = 0.03, 0.003


@pytest.fixture
def options(pytester: pytest.Pytester, endpoint: Endpoint) -> tuple[str, ...]:
    endpoint.script = by_model(m=answers, other=answers, j=lambda body, seen: verdict(0.5))
    write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])
    (pytester.path / "prices.toml").write_text(PRICES, encoding="utf-8")
    return (
        f"--mm-base-url={endpoint.url}",
        f"--mm-judge-base-url={endpoint.url}",
        "--mm-judge=openai:j",
        "--mm-benchmark=made",
        "--mm-output=out",
    )


def usage(folder: Path, index: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = read_summary(folder)["runs"][index]["usage"]
    return found


@BOTH
def test_cost_by_role(
    pytester: pytest.Pytester, options: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    arguments = (*options, "--mm-model=openai:m", "--mm-prices=prices.toml", *workers)
    result = run(pytester, *arguments)
    assert result.ret == 0
    found = usage(pytester.path / "out")
    assert found["model"] == {
        "calls": 6, "prompt_tokens": 60, "completion_tokens": 12,
        "cost_usd": pytest.approx(6 * MODEL_CALL),
    }  # fmt: skip
    assert found["judge"]["cost_usd"] == pytest.approx(6 * JUDGE_CALL)
    text = "model 6 calls, 72 tokens, ≈ $0.18 · judge 6 calls, 72 tokens, ≈ $0.0180"
    assert text in flat(result)
    assert "≈ $0.20 in all" in flat(result) and "no record" not in flat(result)
    data = read_summary(pytester.path / "out")
    assert data["cost_usd"] == pytest.approx(6 * (MODEL_CALL + JUDGE_CALL))
    assert "unrecorded" not in data
    assert text in (pytester.path / "out" / "summary.md").read_text(encoding="utf-8").replace(
        "\\", ""
    )

    again = run(pytester, *arguments)
    assert "model no calls · judge no calls" in flat(again)
    assert {role: used["cost_usd"] for role, used in usage(pytester.path / "out").items()} == {
        "model": 0.0,
        "judge": 0.0,
    }


@BOTH
def test_an_unknown_price_is_no_zero(
    pytester: pytest.Pytester, options: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    result = run(pytester, *options, "--mm-model=openai:m", *workers)
    assert result.ret == 0
    found = usage(pytester.path / "out")
    assert (found["model"]["cost_usd"], found["judge"]["cost_usd"]) == (None, None)
    assert '72 tokens, price unknown for openai:m (--mm-prices: "m") · judge' in flat(result)
    assert 'price unknown for openai:j (--mm-prices: "j")' in flat(result)
    assert "$" not in result.stdout.str()
    assert read_summary(pytester.path / "out")["cost_usd"] is None


def test_every_model_has_its_own_price(pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
    pytester.makeini("[pytest]\nmm_prices = prices.toml\n")
    models = ("--mm-model=openai:m", "--mm-model=openai:other", "--mm-model=llava:openai:m")
    run(pytester, *options, *models)
    costs = [usage(pytester.path / "out", index)["model"]["cost_usd"] for index in range(3)]
    assert costs[0] == pytest.approx(6 * MODEL_CALL)
    assert costs[1] is None
    # The preset asks in its own words, and so anew.
    assert costs[2] == pytest.approx(6 * MODEL_CALL)


def test_local_and_recorded_answers_cost_nothing(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    result = run(pytester, "--mm-model=replay:mini", "--mm-output=out")
    assert {role: used["cost_usd"] for role, used in usage(pytester.path / "out").items()} == {
        "model": 0.0,
        "judge": 0.0,
    }
    assert "$" not in result.stdout.str()
    assert "price" not in result.stdout.str()


def test_calls_that_tell_no_tokens_have_no_cost(
    pytester: pytest.Pytester, options: tuple[str, ...], endpoint: Endpoint
) -> None:
    message = {"role": "assistant", "content": "answer"}
    endpoint.script = by_model(
        m=lambda body, seen: Reply(body={"choices": [{"message": message}]}),
        j=lambda body, seen: verdict(1.0),
    )
    run(pytester, *options, "--mm-model=openai:m", "--mm-prices=prices.toml")
    assert usage(pytester.path / "out")["model"]["cost_usd"] is None


def test_a_reply_without_an_answer_is_paid_for_all_the_same(
    pytester: pytest.Pytester, options: tuple[str, ...], endpoint: Endpoint
) -> None:
    endpoint.script = by_model(m=lambda body, seen: Reply(text=None, finish="length"))
    run(pytester, *options, "--mm-model=openai:m", "--mm-prices=prices.toml", "--mm-max-errors=6")
    assert usage(pytester.path / "out")["model"]["cost_usd"] == pytest.approx(6 * MODEL_CALL)
    assert {r["status"] for r in read_records(pytester.path / "out")} == {"model_error"}


def test_merged_shards_cost_what_the_whole_does(
    pytester: pytest.Pytester, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (*options[:-1], "--mm-model=openai:m", "--mm-prices=prices.toml", "--mm-cache=off")
    run(pytester, *arguments, "--mm-output=whole")
    for number in (1, 2):
        run(pytester, *arguments, f"--mm-shard={number}/2", f"--mm-output=part{number}")
    capsys.readouterr()
    assert main(["merge", "part1", "part2", "--mm-output=merged"]) == 0
    assert usage(Path("merged")) == usage(Path("whole"))
    assert "≈ $0.18" in capsys.readouterr().out


@BOTH
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[models]\n"m" = { input = -1, output = 2 }\n', 'models."m".input is -1'),
        ("[models\n", "at line 1"),
    ],
)
def test_a_bad_table_of_prices_is_a_usage_error(
    pytester: pytest.Pytester,
    options: tuple[str, ...],
    text: str,
    told: str,
    workers: tuple[str, ...],
) -> None:
    (pytester.path / "prices.toml").write_text(text, encoding="utf-8")
    result = run(pytester, "--mm-model=replay:mini", "--mm-prices=prices.toml", *workers)
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*--mm-prices *prices.toml: *{told}*"])
    assert "Traceback" not in result.stderr.str()


def ahead(pytester: pytest.Pytester, endpoint: Endpoint) -> None:
    """Sixteen samples that all fail their items; the first of each of two workers comes late."""
    write_benchmark(pytester.path / "made", [sample(n) for n in range(16)])

    def late(body: dict[str, Any], seen: int) -> Reply:
        return Reply(text=answers(body, seen), delay_s={0: 2.0, 2: 1.0}.get(number_of(body), 0.0))

    endpoint.script = by_model(m=late, other=answers, j=lambda body, seen: verdict(0.5))


def paid(endpoint: Endpoint) -> float:
    """What the endpoint's replies cost."""
    return sum(JUDGE_CALL if body["model"] == "j" else MODEL_CALL for body in endpoint.requests)


ENDS_EARLY = ("--mm-prices=prices.toml", "--mm-item-threshold=1", "--mm-cache=off", "-x")


@BOTH
def test_calls_that_ran_ahead_of_a_run_that_ends_early_are_in_its_cost(
    pytester: pytest.Pytester,
    options: tuple[str, ...],
    endpoint: Endpoint,
    workers: tuple[str, ...],
) -> None:
    ahead(pytester, endpoint)
    result = run(pytester, *options, "--mm-model=openai:m", *ENDS_EARLY, *workers)
    assert result.ret == 1
    assert len(endpoint.requests) == 32
    data = read_summary(pytester.path / "out")
    assert data["cost_usd"] == pytest.approx(paid(endpoint))
    recorded = sum(used["cost_usd"] for used in data["runs"][0]["usage"].values())
    assert recorded < paid(endpoint) / 2, "a run tells what its records hold"
    beyond = data["unrecorded"]["model"]["openai:m"]
    calls = beyond["calls"] + data["runs"][0]["usage"]["model"]["calls"]
    assert calls == 16 and beyond["cost_usd"] == pytest.approx(MODEL_CALL * beyond["calls"])
    told = "≈ $0.53 in all, of which in no record: ≈ $0."
    assert told in flat(result)
    page = (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert told in page.replace("\\", "")


def test_what_ran_ahead_has_the_price_of_its_model(
    pytester: pytest.Pytester, options: tuple[str, ...], endpoint: Endpoint
) -> None:
    ahead(pytester, endpoint)
    with (pytester.path / "prices.toml").open("a", encoding="utf-8") as file:
        file.write('"other" = { input = 100000, output = 0 }\n')
    models = ("--mm-model=openai:m", "--mm-model=openai:other")
    run(pytester, *options, *models, *ENDS_EARLY)
    data = read_summary(pytester.path / "out")
    other = data["unrecorded"]["model"]["openai:other"]
    assert other == {
        "calls": 16, "prompt_tokens": 160, "completion_tokens": 32, "cost_usd": pytest.approx(16),
    }  # fmt: skip
    assert data["cost_usd"] == pytest.approx(16 * (1 + MODEL_CALL) + 32 * JUDGE_CALL)


def test_merged_shards_tell_what_ran_ahead_in_each(
    pytester: pytest.Pytester,
    options: tuple[str, ...],
    endpoint: Endpoint,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ahead(pytester, endpoint)
    arguments = (*options[:-1], "--mm-model=openai:m", *ENDS_EARLY)
    for number in (1, 2):
        run(pytester, *arguments, f"--mm-shard={number}/2", f"--mm-output=part{number}")
    capsys.readouterr()
    assert main(["merge", "part1", "part2", "--mm-output=merged"]) == 1
    told = capsys.readouterr().out
    parts = [read_summary(Path(name)) for name in ("part1", "part2", "merged")]
    assert parts[2]["cost_usd"] == pytest.approx(parts[0]["cost_usd"] + parts[1]["cost_usd"])
    assert parts[2]["unrecorded"]["judge"]["openai:j"]["calls"] == sum(
        part["unrecorded"]["judge"]["openai:j"]["calls"] for part in parts[:2]
    )
    assert "in no record: ≈ $" in told
    assert main(["report", "merged", "--mm-output=again"]) == 1
    assert read_summary(Path("again")) == parts[2]


@pytest.mark.parametrize("own", ["{}", "openai:{}", "openai:?"])
@BOTH
def test_a_price_stands_under_the_bare_name_or_the_whole_spec(
    pytester: pytest.Pytester, options: tuple[str, ...], own: str, workers: tuple[str, ...]
) -> None:
    names = dict.fromkeys(own.format(name) for name in "mj")
    table = [f'"{name}" = {{ input = 1000, output = 10000 }}' for name in names]
    text = "\n".join(["[models]", *table])
    (pytester.path / "prices.toml").write_text(text, encoding="utf-8")
    result = run(pytester, *options, "--mm-model=openai:m", "--mm-prices=prices.toml", *workers)
    assert "price unknown" not in flat(result)
    assert read_summary(pytester.path / "out")["cost_usd"] == pytest.approx(12 * MODEL_CALL)


def test_calls_that_were_cut_off_are_counted(
    pytester: pytest.Pytester, options: tuple[str, ...], endpoint: Endpoint
) -> None:
    ahead(pytester, endpoint)

    def one_hangs(body: dict[str, Any], seen: int) -> Reply:
        delays = {0: 1.0, 9: 8.0}
        return Reply(text=answers(body, seen), delay_s=delays.get(number_of(body), 0.0))

    endpoint.script = by_model(m=one_hangs, j=lambda body, seen: verdict(0.5))
    result = run(pytester, *options, "--mm-model=openai:m", *ENDS_EARLY)
    data = read_summary(pytester.path / "out")
    beyond = data["unrecorded"]["model"]["openai:m"]
    assert (beyond["calls"], beyond["cut_off"]) == (15, 1)
    assert beyond["cost_usd"] == pytest.approx(14 * MODEL_CALL)
    assert "cut_off" not in data["unrecorded"]["judge"]["openai:j"]
    assert "without 1 call cut off at the end" in flat(result)
