"""The tables of a summary say what its rows hold."""

from __future__ import annotations

import dataclasses
import sys

import pytest
from _pytest._io import TerminalWriter

from pytest_mmreason.gates import Outcome
from pytest_mmreason.outcome import draft_record
from pytest_mmreason.reports.printing import Printer, render
from pytest_mmreason.reports.tables import (
    Cell,
    Table,
    comparison,
    counts_text,
    fitted,
    main_table,
    row_lines,
)
from pytest_mmreason.sample import Sample
from pytest_mmreason.settings import Threshold
from pytest_mmreason.summary import RunResult, summarise
from tests.support.stubs import made_plan


def results(*samples: tuple[Sample, float], **settings: object) -> list[RunResult]:
    plan = made_plan([sample for sample, _ in samples], **settings)  # type: ignore[arg-type]
    records = [
        [
            dataclasses.replace(
                draft_record(run, sample, 0, "j", None),
                status="scored",
                score=score,
                scores=(score,),
            )
            for sample, score in samples
        ]
        for run in plan.runs
    ]
    total = len(samples) * len(plan.runs)
    return list(summarise(plan, records, total, Outcome(0, 0, 0)).runs)


def sample(number: int, category: str = "", complexity: str = "", **fields: object) -> Sample:
    return Sample(f"s{number}", "q", category=category, complexity=complexity, **fields)  # type: ignore[arg-type]


def texts(table: Table) -> list[list[str]]:
    return [list(table.headers), *([cell.text for cell in row] for row in table.rows)]


def test_categories_are_shown_by_complexity_with_the_total_last() -> None:
    (run,) = results(
        (sample(1, "deductive", "moderate"), 1.0), (sample(2, "abductive", "high"), 0.5)
    )
    assert texts(main_table(run)) == [
        ["reasoning", "n", "score", "95 % CI", "moderate", "high"],
        ["deductive", "1", "100.0", "–", "100.0", "–"],
        ["abductive", "1", "50.0", "–", "–", "50.0"],
        ["overall", "2", "75.0", "0–100", "100.0", "50.0"],
    ]


def test_a_category_named_overall_has_its_own_row_and_cells() -> None:
    (run,) = results((sample(1, "overall", "overall"), 1.0), (sample(2, "a", "high"), 0.0))
    table = texts(main_table(run))
    assert table[0][4:] == ["high", "complexity:overall"]
    assert table[1] == ["category:overall", "1", "100.0", "–", "–", "100.0"]
    assert table[-1] == ["overall", "2", "50.0", "0–100", "0.0", "100.0"]


def test_without_categories_capabilities_are_shown_and_integrations_below() -> None:
    (run,) = results(
        (sample(1, capabilities=("rec", "ocr")), 1.0), (sample(2, capabilities=("rec",)), 0.5)
    )
    assert [row[0] for row in texts(main_table(run))] == ["capability", "rec", "ocr", "overall"]
    assert row_lines(run) == [("integration", ["ocr+rec 100.0 (1)", "rec_only 50.0 (1)"])]


def test_a_gated_row_that_is_not_among_the_groups_is_added() -> None:
    (run,) = results(
        (sample(1, "deductive", "high"), 0.5),
        threshold=(Threshold("high", 60.0), Threshold("overall", 50.0)),
    )
    assert [(row[0], row[-1]) for row in texts(main_table(run))[1:]] == [
        ("deductive", ""),
        ("high", "≥ 60 FAIL"),
        ("overall", "≥ 50 PASS"),
    ]


def test_names_from_a_benchmark_are_inert() -> None:
    (run,) = results((sample(1, "\x1b[31mred", "high"), 0.5))
    assert texts(main_table(run))[1][0] == r"\x1b[31mred"


def test_runs_stand_side_by_side_with_the_best_marked() -> None:
    runs = results((sample(1, "deductive", "high"), 0.5), models=("a", "b"))
    better = dataclasses.replace(
        runs[1], rows=results((sample(1, "deductive", "high"), 0.9))[0].rows
    )
    rows = texts(comparison([runs[0], better]))
    assert [row[1] for row in rows] == ["overall", "50.0", "90.0"]
    assert [row[0][:2] for row in rows[1:]] == ["  ", "★ "]  # so that names are in line


def test_of_runs_that_are_best_alike_each_is_marked() -> None:
    runs = results((sample(1, "deductive", "high"), 0.5), models=("a", "b", "c"))
    worse = results((sample(1, "deductive", "high"), 0.1))[0].rows
    rows = texts(comparison([dataclasses.replace(runs[0], rows=worse), *runs[1:]]))
    assert [row[0] for row in rows[1:]] == ["  a", "★ b", "★ c"]


def test_no_run_is_marked_where_all_did_as_well() -> None:
    runs = results((sample(1, "deductive", "high"), 0.5), models=("a", "b"))
    assert [row[0] for row in texts(comparison(runs))[1:]] == ["  a", "  b"]


def test_names_of_pairs_are_shortened_before_a_number_is_dropped() -> None:
    def pairs(*names: str) -> Table:
        cells = (*names, "+12.3", "+10.1 to +14.5", "<0.001", "1,203/1,405")
        headers = ("model", "against", "overall", "95 % CI", "p (Holm)", "−/+")
        numeric = (False, False, True, True, True, True)
        return Table(headers, numeric, (tuple(map(Cell, cells)),), has_total=False)

    long = pairs("hf:/runs/of-a-long-name/checkpoint-1200", "hf:/runs/of-a-long-name/step-2400")
    shown = fitted(long, 79, names=2)
    first, second = (cell.text for cell in shown.rows[0][:2])
    assert first.startswith("hf:/") and first.endswith("-1200") and "…" in first
    assert second.endswith("-2400") and len(first) == len(second) >= 12
    assert shown.rows[0][2:] == long.rows[0][2:]
    (_, _, line) = render(shown, 79, False)
    assert line.split()[-1] == "1,203/1,405" and len(line) <= 79
    short = pairs("a", "hf:/runs/checkpoint")
    assert fitted(short, 79, names=2) == short, "what one name leaves is the other's"
    alike = pairs("a" * 30 + "1" + "a" * 30, "a" * 30 + "2" + "a" * 30)
    assert fitted(alike, 79, names=2) == alike
    assert "1,203/1,405" in "".join(render(alike, 79, False)), "folded, with every number"


def test_long_names_of_runs_side_by_side_are_shortened_in_the_middle() -> None:
    names = ("replay:llava-v1.5-7b.official-eval-zip.answers.jsonl", "replay:llava-v1.5-13b.json")
    runs = results((sample(1, "deductive", "high"), 0.5), models=names)
    table = fitted(comparison(runs), 60)
    assert [row[0] for row in texts(table)] == [
        "model",
        "  replay:llava-…p.answers.jsonl",
        "  replay:llava-v1.5-13b.json",
    ]
    lines = render(table, 60, False)
    assert [line[:31].rstrip() for line in lines[2:]] == [row[0] for row in texts(table)[1:]]
    assert fitted(comparison(runs), 200) == comparison(runs)
    alike = (
        "replay:of-two-answers-1-the-one-and-same-name.json",
        "replay:of-two-answers-2-the-one-and-same-name.json",
    )
    both = comparison(results((sample(1, "deductive", "high"), 0.5), models=alike))
    assert fitted(both, 60) == both


def test_every_title_stands_apart_from_its_items(capsys: pytest.CaptureFixture[str]) -> None:
    printer = Printer(TerminalWriter(sys.stdout))
    for title in ("answer only", "tag"):
        printer._wrapped(title, ["overall 1.0"])
    assert capsys.readouterr().out.splitlines() == [
        " answer only  overall 1.0",
        " tag          overall 1.0",
    ]


def test_unsure_verdicts_are_told() -> None:
    (run,) = results((sample(1), 1.0), (sample(2), 0.4))
    settings = made_plan([sample(1)]).settings
    assert "unsure" not in counts_text(run, settings)
    told = [dataclasses.replace(record, confidence=0.3) for record in run.records]
    found = dataclasses.replace(run, records=told)
    assert counts_text(found, settings).endswith("2 verdicts unsure")


def test_verdicts_that_were_put_right_are_told() -> None:
    (run,) = results((sample(1), 1.0), (sample(2), 0.4))
    settings = made_plan([sample(1)]).settings
    assert "put right" not in counts_text(run, settings)
    note = "judge: 1 of its step credits dropped"
    told = [dataclasses.replace(record, flags=(note,)) for record in run.records]
    found = dataclasses.replace(run, records=told)
    assert counts_text(found, settings).endswith("2 verdicts put right")


def test_a_narrow_interval_keeps_the_digit_that_holds_the_score() -> None:
    (run,) = results(*((sample(n), 0.04 * (n == 1)) for n in range(40)))
    assert texts(main_table(run))[-1][2:4] == ["0.1", "0.0–0.3"]
    (run,) = results((sample(1), 1.0), (sample(2), 1.0))
    assert texts(main_table(run))[-1][2:4] == ["100.0", "100–100"]
