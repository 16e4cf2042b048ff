"""Keys and passwords stay secret, however an endpoint repeats them; bad ones are told at once."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tests.support.benchmarks import read_records, sample, write_benchmark
from tests.support.endpoint import Endpoint, Reply, question_of
from tests.support.runs import answers, by_model, endpoint_options, run, verdict

KEY = 'Zx9qLongToken"\\and/more+='


@pytest.fixture
def made(pytester: pytest.Pytester) -> Path:
    return write_benchmark(pytester.path / "made", [sample(0)])


def everything(pytester: pytest.Pytester, result: pytest.RunResult) -> str:
    """What a run printed and wrote."""
    written = [path for path in pytester.path.rglob("*") if path.is_file()]
    assert any(path.name == "results.jsonl" for path in written)
    texts = [path.read_bytes().decode("utf-8", "replace") for path in written]
    return "\n".join([result.stdout.str(), result.stderr.str(), *texts])


@pytest.mark.parametrize(
    "repeated",
    [
        Reply.error(400, f"what a key: {KEY}"),
        Reply.error(401, f"what a key, that begins with {KEY[:11]}..."),
        Reply(body=f"<html>{KEY}</html>"),
        Reply(body={"error": {"message": f"what a key: '{KEY}'"}}),
    ],
    ids=["whole", "abridged", "in a page", "in a body that is no completion"],
)
def test_a_key_that_an_endpoint_repeats_is_neither_printed_nor_written(
    pytester: pytest.Pytester,
    endpoint: Endpoint,
    made: Path,
    monkeypatch: pytest.MonkeyPatch,
    repeated: Reply,
) -> None:
    monkeypatch.setenv("MINE", KEY)
    endpoint.script = lambda body, seen: repeated
    result = run(
        pytester,
        "--mm-model=openai:m",
        f"--mm-base-url={endpoint.url}",
        "--mm-api-key-env=MINE",
        f"--mm-benchmark={made}",
        "--mm-retries=0",
        "--mm-output=out",
        "--junitxml=out/junit.xml",
        "-rA",
    )
    assert result.ret == 1
    assert endpoint.authorizations == [f"Bearer {KEY}"]
    assert "**" in result.stdout.str()
    assert "Zx9q" not in everything(pytester, result)


def test_a_password_in_an_endpoints_url_is_neither_printed_nor_written(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    login = base64.b64encode(b"me:Zx9q-word").decode()
    endpoint.script = lambda body, seen: Reply.error(400, f"who is Basic {login}, or me:Zx9q-word?")
    url = endpoint.url.replace("//", "//me:Zx9q-word@")
    options = ("--mm-model=openai:m", f"--mm-benchmark={made}", "--mm-output=out", "-rA")
    result = run(pytester, *options, f"--mm-base-url={url}", "--mm-retries=0")
    assert result.ret == 1
    assert endpoint.authorizations == [f"Basic {login}"]
    text = everything(pytester, result)
    assert "Zx9q" not in text
    assert login not in text


@pytest.mark.parametrize(
    "url", ["http://me:Zx9q@127.0.0.1:9/v1?key=Zx9q", "me:Zx9q@127.0.0.1/v1"], ids=["closed", "bad"]
)
def test_an_endpoint_that_cannot_be_used_is_named_without_its_password(
    pytester: pytest.Pytester, made: Path, url: str
) -> None:
    result = run(pytester, "--mm-model=openai:m", f"--mm-benchmark={made}", f"--mm-base-url={url}")
    assert result.ret == 4
    assert "127.0.0.1" in result.stderr.str()
    assert "Zx9q" not in result.stdout.str() + result.stderr.str()


def test_a_keys_line_break_is_no_part_of_it(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-a-file\n")
    endpoint.script = answers
    result = run(
        pytester, "--mm-model=openai:m", f"--mm-base-url={endpoint.url}", f"--mm-benchmark={made}"
    )
    assert result.ret == 0
    assert endpoint.authorizations == ["Bearer from-a-file"]


@pytest.mark.parametrize("key", ["two\nlines", "cléf"])
def test_a_key_that_no_request_can_carry_is_told_before_the_samples_run(
    pytester: pytest.Pytester,
    endpoint: Endpoint,
    made: Path,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    result = run(
        pytester, "--mm-model=openai:m", f"--mm-base-url={endpoint.url}", f"--mm-benchmark={made}"
    )
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*the API key in OPENAI_API_KEY holds a character*"])
    assert key not in result.stderr.str()
    assert not endpoint.requests


def test_half_of_an_emoji_in_a_question_is_sent_as_a_character_that_can_be(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    question = "What is number 0? \ud83d"
    made = write_benchmark(pytester.path / "made", [sample(0, question=question)])
    endpoint.script = answers
    result = run(
        pytester, "--mm-model=openai:m", f"--mm-base-url={endpoint.url}", f"--mm-benchmark={made}"
    )
    assert result.ret == 0
    assert [question_of(body) for body in endpoint.requests] == ["What is number 0? \ufffd"]


def test_parameters_with_the_names_of_secrets_are_neither_printed_nor_written(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = by_model(m=answers, j=lambda body, seen: verdict(0.5))
    secrets = (
        "api_key=Zx9q",
        "hf_token=Zx9q",
        'extra_headers={"X-Account": "Zx9q"}',
        'extra_body={"deep": [{"apikey": "Zx9q"}], "top_k": 3}',
    )
    options = [f"--mm-judge-param={secret}" for secret in secrets]
    options += [f"--mm-param={secret}" for secret in secrets]
    result = run(
        pytester,
        *endpoint_options(endpoint),
        *options,
        "--mm-judge-param=max_tokens=99",
        f"--mm-benchmark={made}",
        "--mm-output=out",
        "-rA",
    )
    assert result.ret == 0
    assert {body["api_key"] for body in endpoint.requests} == {"Zx9q"}
    assert "Zx9q" not in everything(pytester, result)
    (record,) = read_records(pytester.path / "out")
    assert record["judging"]["params"] == {
        "temperature": [0.0, 0.0],
        "api_key": "***",
        "hf_token": "***",
        "extra_headers": "***",
        "extra_body": {"deep": [{"apikey": "***"}], "top_k": 3},
        "max_tokens": 99,
    }


def test_an_endpoint_that_does_not_take_a_secret_is_not_repeated(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = lambda body, seen: Reply.error(400, "access_token must be valid")
    options = (*endpoint_options(endpoint, judge=None), "--mm-param=access_token=Zx9q")
    result = run(pytester, *options, f"--mm-benchmark={made}", "--mm-output=out", "-rA")
    assert result.ret == 1
    assert "access_token='***'" in result.stdout.str()
    assert "Zx9q" not in everything(pytester, result)
