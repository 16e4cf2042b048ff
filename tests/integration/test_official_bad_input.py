"""Official folders with something wrong in them: it is said, and what can be evaluated is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import read_records, read_summary
from tests.support.endpoint import Endpoint
from tests.support.official import (
    INFIMM,
    VET,
    VET_V2,
    infimm_entry,
    picture,
    write_infimm,
    write_json,
    write_vet,
    write_vet_v2,
)
from tests.support.runs import by_model, endpoint_options, flat, run, statuses

WORKERS = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])


@pytest.fixture
def asked(endpoint: Endpoint) -> tuple[str, ...]:
    """Options of a run whose judge gives 0.5 to everything."""
    endpoint.script = by_model(m=lambda body, seen: "an answer", j=lambda body, seen: "0.5")
    return (*endpoint_options(endpoint), "--mm-output=out")


@WORKERS
def test_samples_of_absent_and_broken_images_are_data_errors_alone(
    pytester: pytest.Pytester, asked: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    rows = {**VET, "v1_3": {**VET["v1_9"], "imagename": "half.png"}}
    folder = write_vet(pytester.path / "vet", rows)
    (folder / "images" / "sum.png").unlink()
    (folder / "images" / "half.png").write_bytes(picture()[:40])
    result = run(pytester, *asked, f"--mm-benchmark=mm-vet={folder}", *workers)
    assert result.ret == 1
    records = read_records(pytester.path / "out")
    assert statuses(records) == {
        "v1_2": "scored", "v1_0": "scored", "v1_9": "data_error", "v1_3": "data_error"
    }  # fmt: skip
    reasons = {r["sample"]: r["reason"] for r in records}
    assert "sum.png" in reasons["v1_9"] and "half.png" in reasons["v1_3"]
    assert "1 of 3 images are missing" in flat(result)
    (told,) = read_summary(pytester.path / "out")["runs"]
    assert told["rows"]["overall"]["scored"] == 2
    assert told["rows"]["overall"]["score"] == 50.0


@WORKERS
def test_absent_id_unknown_capability_and_altered_answers_are_told_and_the_rest_is_scored(
    pytester: pytest.Pytester, asked: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    rows: dict[str, Any] = {k: v for k, v in VET.items() if k != "v1_0"}
    rows["v1_9"] = {**rows["v1_9"], "capability": ["math", "juggling"], "answer": "8"}
    folder = write_vet(pytester.path / "vet", rows)
    result = run(pytester, *asked, f"--mm-benchmark=mm-vet={folder}", *workers)
    assert result.ret == 0
    told = flat(result)
    assert "mm-vet.json is altered: 2 samples, not 218" in told
    assert "unknown capability 'juggling' (1: v1_9) is kept as a row of its own" in told
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert found["rows"]["juggling+math"]["score"] == 50.0
    (table,) = (pytester.path / "out").glob("*-cap-score-*.csv")
    assert "juggling" in table.read_text(encoding="utf-8").splitlines()[0]


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:150])


def _without_question(path: Path) -> None:
    rows = json.loads(path.read_text(encoding="utf-8"))
    del rows["v1_0"]["question"]
    write_json(path, rows)


@WORKERS
@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (Path.unlink, "mm-vet.json: missing beside images/; the download is not complete"),
        (_cut, "mm-vet.json:*not JSON*cut off or altered, download it again"),
        (_without_question, "mm-vet.json:*id 'v1_0': field question: missing"),
    ],
    ids=["absent", "cut", "field"],
)
def test_a_questions_file_that_cannot_be_read_is_one_clear_error(
    pytester: pytest.Pytester,
    asked: tuple[str, ...],
    endpoint: Endpoint,
    workers: tuple[str, ...],
    spoil: Any,
    told: str,
) -> None:
    folder = write_vet(pytester.path / "vet")
    spoil(folder / "mm-vet.json")
    result = run(pytester, *asked, f"--mm-benchmark=mm-vet={folder}", *workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{told.replace('[', '[[]')}*"])
    assert "Traceback" not in result.stderr.str() + result.stdout.str()
    assert endpoint.requests == []


@WORKERS
def test_v2_is_judged_by_its_protocol_with_marks_for_its_images(
    pytester: pytest.Pytester,
    asked: tuple[str, ...],
    endpoint: Endpoint,
    workers: tuple[str, ...],
) -> None:
    folder = write_vet_v2(pytester.path / "v2", VET_V2)
    result = run(pytester, *asked, f"--mm-benchmark=mm-vet-v2={folder}", *workers)
    assert result.ret == 0
    texts = [body["messages"][-1]["content"] for body in endpoint.calls("j")]
    row = r"First <image> then <image><image>\nwhat comes next? | a triangle | an answer | "
    assert sum(row in text for text in texts) == 1
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert {"seq", "rec+seq", "rec_only"} <= found["rows"].keys()
    assert found["judging"]["protocol"] == "mm-vet"


@WORKERS
def test_infimm_eval_without_references_is_answered_and_named_for_submission(
    pytester: pytest.Pytester,
    asked: tuple[str, ...],
    endpoint: Endpoint,
    workers: tuple[str, ...],
) -> None:
    rows = {**INFIMM, "185": infimm_entry(**{"Image path": ["c.webp"]})}
    folder = write_infimm(pytester.path / "infimm", rows)
    for number, model in enumerate(("m-7B", "m")):
        endpoint.script = lambda body, seen: "an answer"
        options = [f"--mm-model=openai:{model}", *asked[1:], f"--mm-output=out{number}"]
        result = run(pytester, *options, f"--mm-benchmark=infimm-eval={folder}", *workers)
        assert result.ret == 0
        assert endpoint.calls("j") == []
        told = flat(result)
        assert "sample 185: complexity high, not moderate" in told
        assert "--mm-corrections=off" in told
        records = read_records(pytester.path / f"out{number}")
        assert set(statuses(records).values()) == {"unjudged"}
        name = ("m-7B_7B.json", "m_SIZE.json")[number]
        assert name in told
        for file in ("predictions.json", name):
            text = (pytester.path / f"out{number}" / file).read_text(encoding="utf-8")
            assert json.loads(text) == dict.fromkeys(rows, "an answer")


def test_nothing_is_offered_for_submission_where_all_is_judged(
    pytester: pytest.Pytester, asked: tuple[str, ...]
) -> None:
    folder = write_infimm(pytester.path / "infimm")
    references = [json.dumps({"id": sample, "answer": "x"}) for sample in INFIMM]
    (folder / "references.jsonl").write_text("\n".join(references), encoding="utf-8")
    result = run(pytester, *asked, f"--mm-benchmark=infimm-eval={folder}")
    assert "_SIZE.json" not in flat(result)
    assert not list((pytester.path / "out").glob("*_SIZE.json"))
    assert "answer only overall" in flat(result)
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert found["answer_only"]["overall"] == 0.0
