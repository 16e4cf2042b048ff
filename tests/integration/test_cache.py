"""The cache: nothing is asked twice, and nothing that could differ is taken from it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.support.benchmarks import read_records, sample, write_answers, write_benchmark
from tests.support.endpoint import Endpoint, Reply
from tests.support.runs import (
    answers,
    by_model,
    endpoint_options,
    flat,
    number_of,
    run,
    statuses,
    verdict,
)


@pytest.fixture
def made(pytester: pytest.Pytester) -> Path:
    folder = write_benchmark(
        pytester.path / "made", [sample(n, images=["a.png"]) for n in range(4)]
    )
    Image.new("RGB", (8, 8), "red").save(folder / "a.png")
    return folder


@pytest.fixture
def calls(pytester: pytest.Pytester, endpoint: Endpoint, made: Path) -> Callable[..., list[int]]:
    """Run with model ``m`` and judge ``j``; how many calls each was made."""
    endpoint.script = by_model(m=answers, j=lambda body, seen: verdict(0.5))

    def count(*arguments: str) -> list[int]:
        endpoint.reset()
        options = (*endpoint_options(endpoint), f"--mm-benchmark={made}", "--mm-output=out")
        run(pytester, *options, *arguments)
        return [len(endpoint.calls("m")), len(endpoint.calls("j"))]

    return count


def test_an_unchanged_run_makes_no_call_and_says_so(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, calls: Callable[..., list[int]]
) -> None:
    assert calls() == [4, 4]
    first = read_records(pytester.path / "out")
    assert calls() == [0, 0]
    assert calls("-n2", "--mm-concurrency=1", "--mm-timeout=5", "--mm-retries=9") == [0, 0]
    second = read_records(pytester.path / "out")
    assert all(record["cached"] and record["attempts"] == 0 for record in second)
    for key in ("status", "score", "response", "rationale", "finish_reason", "images"):
        assert [r[key] for r in first] == [r[key] for r in second]
    endpoint.close()
    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}")
    result = run(pytester, *options)
    assert result.ret == 0, "a run that lives from its cache needs no endpoint"
    assert "4 responses and 4 verdicts from the cache" in flat(result)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("--mm-prompt=cot", [4, 0]),  # the same answers, judged before
        ("--mm-images=none", [4, 0]),
        ("--mm-param=temperature=0.5", [4, 0]),
        ("--mm-model=openai:m2", [0, 0]),
        ("--mm-judge=openai:j2", [0, 0]),
        ("--mm-judge-param=temperature=1", [0, 4]),
        ("--mm-judge-runs=2", [0, 4]),
        ("--mm-repeats=2", [4, 0]),
        ("--mm-judge=local", [0, 0]),
    ],
)
def test_a_change_asks_again_what_it_concerns_and_no_more(
    endpoint: Endpoint, calls: Callable[..., list[int]], change: str, expected: list[int]
) -> None:
    endpoint.script = by_model(
        m=answers, m2=answers, j=lambda body, seen: verdict(0.5), j2=lambda body, seen: verdict(0.6)
    )
    calls()
    assert calls(change) == expected
    others = len(endpoint.requests) - sum(expected)
    assert others == (4 if change.endswith("2") and "openai" in change else 0)
    assert calls() == [0, 0], "what was kept before is still there"


def test_other_image_bytes_under_the_same_name_are_another_question(
    made: Path, calls: Callable[..., list[int]]
) -> None:
    calls()
    Image.new("RGB", (8, 8), "blue").save(made / "a.png")
    assert calls() == [4, 0]


def test_another_reference_is_judged_anew(made: Path, calls: Callable[..., list[int]]) -> None:
    calls()
    write_benchmark(made, [sample(n, images=["a.png"], answer="other") for n in range(4)])
    assert calls() == [0, 4]


def test_another_endpoint_is_another_model(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = answers
    other = Endpoint(lambda body, seen: "from elsewhere")
    try:
        for server in (endpoint, other):
            options = (*endpoint_options(server, judge=None), f"--mm-benchmark={made}")
            run(pytester, *options, "--mm-output=out")
            assert len(server.requests) == 4
        assert read_records(pytester.path / "out")[0]["response"] == "from elsewhere"
    finally:
        other.close()


def test_two_models_with_the_same_prompts_never_swap_answers(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = lambda body, seen: f"{body['model']} says {number_of(body)}"
    both = ("--mm-model=openai:left", "--mm-model=openai:right", f"--mm-base-url={endpoint.url}")
    for arguments in (both, both, ("--mm-model=openai:right", both[2])):
        run(pytester, *arguments, f"--mm-benchmark={made}", "--mm-output=out")
        for record in read_records(pytester.path / "out"):
            model = record["model"].removeprefix("openai:")
            assert record["response"] == f"{model} says {record['sample'][1:]}"
    assert len(endpoint.requests) == 8


def test_only_what_failed_is_asked_again(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    def model(body: dict[str, Any], seen: int) -> Reply | str:
        if number_of(body) == 1:
            return Reply.error(400, "no")
        return Reply(text="", finish="content_filter") if number_of(body) == 2 else "an answer"

    def judge(body: dict[str, Any], seen: int) -> str:
        return "no number" if number_of(body) == 3 else verdict(0.5)

    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}", "--mm-output=out")
    for _ in range(2):
        endpoint.reset()
        endpoint.script = by_model(m=model, j=judge)
        run(pytester, *options)
        assert list(statuses(read_records(pytester.path / "out")).values()) == [
            "scored", "model_error", "refused", "judge_error"
        ]  # fmt: skip
    assert sorted(map(number_of, endpoint.calls("m"))) == [1, 2]
    assert set(map(number_of, endpoint.calls("j"))) == {3}

    endpoint.reset()
    endpoint.script = by_model(m=answers, j=lambda body, seen: verdict(0.5))
    assert run(pytester, *options).ret == 0
    assert sorted(map(number_of, endpoint.calls("m"))) == [1, 2]
    assert sorted(map(number_of, endpoint.calls("j"))) == [1, 2, 3]


def test_off_reads_and_writes_nothing(
    pytester: pytest.Pytester, calls: Callable[..., list[int]]
) -> None:
    assert calls("--mm-cache=off") == [4, 4]
    assert not (pytester.path / ".mmreason" / "cache").exists()
    assert calls() == [4, 4]
    assert calls("--mm-cache=off") == [4, 4]


def test_a_cache_that_cannot_be_written_is_said_and_the_run_goes_on(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = answers
    (pytester.path / "file").write_text("in the way")
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}")
    result = run(pytester, *options, "--mm-cache-dir=file")
    assert result.ret == 0
    assert "file cannot be written" in flat(result)
    assert "this run goes on uncached. Choose another with --mm-cache-dir" in flat(result)
    if os.geteuid() != 0:
        sealed = pytester.mkdir("sealed")
        sealed.chmod(0o555)
        result = run(pytester, *options, "--mm-cache-dir=sealed")
        assert result.ret == 0
        assert "this run goes on uncached" in flat(result)


def test_a_damaged_cache_is_moved_aside_and_begun_anew(
    pytester: pytest.Pytester, calls: Callable[..., list[int]]
) -> None:
    calls()
    folder = pytester.path / ".mmreason" / "cache"
    (folder / "cache.sqlite").write_bytes(b"this was a database" * 1000)
    for leftover in ("cache.sqlite-wal", "cache.sqlite-shm"):
        (folder / leftover).unlink(missing_ok=True)
    assert calls() == [4, 4]
    assert len(list(folder.glob("cache.damaged-*"))) == 1, "what may be of use is not deleted"
    assert calls() == [0, 0]


def test_recorded_answers_are_scored_with_every_socket_blocked(
    pytester: pytest.Pytester, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(4)})

    def blocked(*arguments: Any) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", blocked)
    monkeypatch.setattr(socket, "getaddrinfo", blocked)
    result = run(pytester, f"--mm-model=replay:{recorded}", f"--mm-benchmark={made}")
    assert result.ret == 0
    assert "model no calls · judge no calls" in flat(result)


def test_refresh_asks_everything_anew_and_keeps_the_answers(
    pytester: pytest.Pytester, endpoint: Endpoint, calls: Callable[..., list[int]]
) -> None:
    assert calls() == [4, 4]
    endpoint.script = by_model(m=lambda body, seen: "changed", j=lambda body, seen: verdict(0.25))
    assert calls("--mm-cache=refresh") == [4, 4]
    assert {r["response"] for r in read_records(pytester.path / "out")} == {"changed"}
    assert calls() == [0, 0]
    assert {r["response"] for r in read_records(pytester.path / "out")} == {"changed"}


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_only_makes_no_call_and_fails_what_it_does_not_know(
    pytester: pytest.Pytester,
    endpoint: Endpoint,
    made: Path,
    calls: Callable[..., list[int]],
    workers: tuple[str, ...],
) -> None:
    assert calls("--mm-sample=s0", "--mm-sample=s1") == [2, 2]
    assert calls("--mm-sample=s2", "--mm-judge=local") == [1, 0]
    assert calls("--mm-cache=only", *workers) == [0, 0]
    records = read_records(pytester.path / "out")
    assert statuses(records) == {
        "s0": "scored",
        "s1": "scored",
        "s2": "judge_error",
        "s3": "model_error",
    }
    assert "--mm-cache=only" in records[3]["reason"] and records[3]["attempts"] == 0
    assert "the cache holds no verdict" in records[2]["reason"]
    result = run(
        pytester,
        *endpoint_options(endpoint),
        f"--mm-benchmark={made}",
        "--mm-cache=only",
        "--mm-max-errors=2",
        *workers,
    )
    assert result.ret == 0
    assert "the next run asks again" not in flat(result), "it asks nobody"
    assert "a run would make 0 model calls and 0 judge calls" in flat(
        run(
            pytester,
            *endpoint_options(endpoint),
            f"--mm-benchmark={made}",
            "--mm-cache=only",
            "--collect-only",
        )
    )


def test_only_needs_neither_key_nor_endpoint(
    pytester: pytest.Pytester, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    options = ("--mm-model=openai:m", f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options, "--mm-cache=only")
    assert result.ret == 1
    assert set(statuses(read_records(pytester.path / "out")).values()) == {"model_error"}
    assert run(pytester, *options).ret == 4


def test_what_is_offline_needs_no_cache(pytester: pytest.Pytester, made: Path) -> None:
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(4)})
    result = run(pytester, "--mm-model=replay:a.json", f"--mm-benchmark={made}", "--mm-cache=only")
    assert result.ret == 0
