"""Where a run stands among published results, and when it stands nowhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_mmreason.benchmarks.official import digest
from pytest_mmreason.published import Published, SampleSet, load
from pytest_mmreason.record import STATUSES
from pytest_mmreason.scoring import Row
from pytest_mmreason.standing import Ran, Standing, stand

VET = [f"v{n}" for n in range(218)]


def row(name: str, n: int, score: float | None, scored: int | None = None) -> Row:
    scored = n if scored is None else scored
    return Row(name, "overall", n, scored, float(n), score, None, None, ())


def ran(
    score: float | None,
    samples: list[str] = VET,
    version: str = "current",
    rows: Mapping[str, Row] | None = None,
    asked: Mapping[str, Any] | None = None,
    **counts: int,
) -> Ran:
    n = len(samples)
    made = {"overall": row("overall", n, score)} | dict(rows or {})
    return Ran(
        "openai:judge",
        version,
        samples,
        made,
        {"collected": n, **dict.fromkeys(STATUSES, 0), **counts},
        asked or {},
    )


def place(standing: Standing | None) -> tuple[int | None, int]:
    assert standing is not None
    return standing.own.rank, standing.ranked


@pytest.fixture
def vet() -> Published:
    return load("mm-vet")


@pytest.fixture
def infimm() -> Published:
    return load("infimm-eval")


def infimm_run(score: float, moderate: int = 171, high: int = 108) -> Ran:
    rows = {"moderate": row("moderate", moderate, 50.0), "high": row("high", high, 20.0)}
    return ran(score, [f"i{n}" for n in range(279)], "published", rows)


@pytest.mark.parametrize(
    ("score", "rank"),
    [
        (99.0, 1),
        (44.7, 2),
        (44.6, 2),
        (44.551, 2),
        (44.549, 3),
        (32.94, 3),
        (32.96, 3),
        (24.75, 11),
        (0.0, 18),
    ],
)
def test_rank_counts_the_results_that_are_higher_as_printed(
    vet: Published, score: float, rank: int
) -> None:
    found = stand(vet, ran(score), ["published"])
    assert place(found) == (rank, 18)


def test_lines_go_by_score_and_equal_ones_share_a_rank(vet: Published) -> None:
    found = stand(vet, ran(44.6), ["published"])
    assert found is not None
    top = [(line.rank, line.name) for line in found.lines[:4]]
    assert top == [
        (1, "GPT-4V"),
        (2, "this run"),
        (2, "MM-ReAct-GPT-4"),
        (4, "LLaVA-13B (LLaMA-2)"),
    ]


def test_judges_are_named(vet: Published) -> None:
    found = stand(vet, ran(50.0), ["published"])
    assert found is not None
    assert (
        "published scores were graded by GPT-4 (0613), the mean of 5 runs; this run's by openai:judge"
        in found.remarks
    )


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (ran(50.0, VET[:20]), "it covers 20 of the 218 samples"),
        (ran(50.0, version="altered"), "its benchmark file is not as published"),
        (ran(50.0, model_error=2), "2 of its 218 answers ended in an error"),
        (ran(50.0, missing=1), "1 of its 218 answers ended in an error"),
        (
            ran(50.0, rows={"overall": row("overall", 218, 50.0, 200)}, unjudged=18),
            "18 of its 218 samples have no score",
        ),
        (
            ran(None, rows={"overall": row("overall", 218, None, 0)}),
            "218 of its 218 samples have no score",
        ),
    ],
)
def test_a_run_of_less_than_the_whole_is_shown_and_not_ranked(
    vet: Published, run: Ran, why: str
) -> None:
    found = stand(vet, run, ["published"])
    assert found is not None
    assert place(found) == (None, 17)
    assert found.remarks[0] == f"this run is not ranked: {why}"
    assert [line.rank for line in found.lines if not line.is_own] == list(range(1, 18))
    assert stand(vet, run) is None, "unasked, nothing is said of it"


def test_a_refusal_counts_as_0_and_is_ranked(vet: Published) -> None:
    assert place(stand(vet, ran(30.0, refused=5), ["published"])) == (6, 18)


def test_other_numbers_of_complexities_are_not_the_published_benchmark(infimm: Published) -> None:
    assert place(stand(infimm, infimm_run(37.0), ["published"])) == (6, 17)
    uncorrected = stand(infimm, infimm_run(37.0, 172, 107), ["published"])
    assert uncorrected is not None
    assert uncorrected.own.rank is None
    assert "172 of its samples are moderate, not 171" in uncorrected.remarks[0]


def test_results_that_do_not_add_up_are_never_ranked(infimm: Published) -> None:
    found = stand(infimm, infimm_run(19.0), ["published", "Table 4"])
    assert found is not None
    unranked = {line.name for line in found.lines if line.rank is None}
    assert unranked == {r.label for r in infimm.rows if r.fault}
    assert len(unranked) == 10
    # Neither do they move the others: 15 are above, of whom BLIP-2 is none.
    above = [line for line in found.lines if line.rank and line.scores["overall"] > 19.0]  # type: ignore[operator]
    assert found.own.rank == len(above) + 1
    remarks = [remark for remark in found.remarks if remark.startswith("not ranked: ")]
    assert len(remarks) == 3
    assert sum(remark.count(" · ") + 1 for remark in remarks) == 10


def test_rows_of_an_earlier_revision_are_counted(infimm: Published) -> None:
    found = stand(infimm, infimm_run(19.0), ["published"])
    assert found is not None
    assert "10 rows are of an earlier revision of 283 samples" in found.remarks
    assert {line.name: line.revision for line in found.lines}["Emu"] == 283


def test_a_subset_is_compared_with_results_on_that_subset_only(vet: Published) -> None:
    ids = VET[:168]
    sets = {**vet.sets, "Bard": SampleSet({"overall": 168}, ("Table 5",), digest([i] for i in ids))}
    made = dataclasses.replace(vet, sets=sets)
    found = stand(made, ran(40.0, list(reversed(ids))), ["published", "bard", "gpt-4v"])
    assert place(found) == (3, 6)
    assert found is not None
    assert {line.name for line in found.lines} == {
        "this run",
        *(r.label for r in vet.of("Table 5")),
    }
    assert (
        "gpt-4v is of all samples, not of the Bard subset: leave --mm-subset out" in found.remarks
    )
    erring = stand(made, ran(40.0, ids, judge_error=1), ["published"])
    assert place(erring) == (None, 5)
    other = stand(made, ran(40.0, VET[1:169]), ["published"])
    assert other is not None
    assert other.title == "MM-Vet" and other.own.rank is None


def test_beside_no_result_there_is_no_rank(vet: Published) -> None:
    found = stand(vet, ran(40.0), ["bard"])
    assert place(found) == (None, 0)


@pytest.mark.parametrize(
    ("score", "names"),
    [
        (50.0, ["MM-ReAct-GPT-4", "GPT-4V"]),
        (31.0, ["LLaVA-7B (LLaMA-2)", "LLaMA-Adapter v2-7B", "GPT-4V"]),
        (1.0, ["Transformers Agent (GPT-4)", "GPT-4V"]),
        (90.0, ["GPT-4V"]),
    ],
)
def test_neighbours_are_next_below_and_above_and_the_best(
    vet: Published, score: float, names: list[str]
) -> None:
    found = stand(vet, ran(score))
    assert found is not None
    assert not found.asked
    assert [line.name for line in found.neighbours] == names


def test_summary_json_holds_every_line(vet: Published) -> None:
    found = stand(vet, ran(31.0), ["published"])
    assert found is not None
    data: dict[str, Any] = found.to_json()
    assert (data["title"], data["rank"], data["of"], len(data["rows"])) == ("MM-Vet", 6, 18, 18)
    assert data["rows"][0]["name"] == "GPT-4V"
    assert data["rows"][0]["sources"] == ["Table 7", "Table 8"]
    own = [line for line in data["rows"] if line["own"]]
    assert [line["scores"] for line in own] == [{"overall": 31.0}]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"images": "none"}, "its images were not sent"),
        ({"images": "captions"}, "its images were not sent"),
        ({"images": "separate", "icl": 3}, "its questions followed worked examples"),
    ],
)
def test_who_was_asked_otherwise_is_not_ranked(asked: dict[str, Any], why: str) -> None:
    found = stand(load("mm-vet"), ran(99.0, asked=asked), ["published"])
    assert found is not None
    assert found.own.rank is None
    assert found.remarks[0] == f"this run is not ranked: {why}"
    assert stand(load("mm-vet"), ran(99.0, asked=asked)) is None


def test_published_rows_are_said_to_tell_no_revision(vet: Published) -> None:
    found = stand(vet, ran(30.0, version="older answers"), ["published"])
    assert found is not None and found.own.rank is not None
    assert any("do not say which revision of the answers" in text for text in found.remarks)


def test_a_table_on_other_samples_is_told_with_the_option(vet: Published) -> None:
    found = stand(vet, ran(40.0), ["Table 5", "nobody"])
    assert found is not None
    assert "Table 5 is of the Bard subset: add --mm-subset=bard_set.json" in found.remarks
    assert "no published result on MM-Vet is named 'nobody'" in found.remarks
