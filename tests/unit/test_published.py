"""The papers' tables, as data: what adds up, what does not, and by which revision."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason import published
from pytest_mmreason.models.presets import load as presets
from pytest_mmreason.published import Published, Row, check_name, chosen, load, recomputed

FAULTY = {
    "BLIP-2": "columns",
    "Vicuna-7B, captions by GPT-4V": "plain",
    "Vicuna-13B, captions by GPT-4V": "plain",
    "SOLAR-0-70b, captions by GPT-4V": "plain",
    "GPT-4, captions by GPT-4V": "plain",
    "Vicuna-7B, CoT, captions by GPT-4V": "plain",
    "Vicuna-13B, CoT, captions by GPT-4V": "plain",
    "SOLAR-0-70b, CoT, captions by GPT-4V": "plain",
    "GPT-4, CoT, captions by GPT-4V": "plain",
    "GPT-4, CoT, captions by LLaVA-1.5": "neither",
}
"""Every published overall score that its columns do not make by Eq. 1, and what makes it."""

CURRENT, EARLIER, PLAIN = "Eq. 1, 279 samples", "Eq. 1, 283 samples", "plain mean"


@pytest.fixture
def infimm() -> Published:
    return load("infimm-eval")


@pytest.fixture
def vet() -> Published:
    return load("mm-vet")


def raw(benchmark: str) -> dict[str, Any]:
    path = Path(published.__file__).with_name(f"{benchmark}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def off(results: Published, weights: str, row: Row) -> dict[str, float]:
    """How far the overall score that `weights` make is from the printed one, by basis."""
    made = recomputed(row.scores, results.weights[weights])
    return {basis: abs(score - row.scores["overall"]) for basis, score in made.items()}


def test_every_overall_score_is_recomputed_and_those_that_do_not_add_up_are_named(
    infimm: Published, vet: Published
) -> None:
    found = {}
    for row in infimm.rows:
        # Columns and overall are rounded to 0.01, so that a true sum is within 0.01.
        by_revision = [off(infimm, name, row) for name in (CURRENT, EARLIER)]
        if not by_revision[0]:
            assert row.set == "multi-image" and row.scores.keys() == {"overall"}
            continue
        if not any(max(errors.values()) < 0.01 for errors in by_revision):
            plain = off(infimm, PLAIN, row)["category"] < 0.01
            by_category = any(errors["category"] < 0.01 for errors in by_revision)
            found[row.label] = "columns" if by_category else "plain" if plain else "neither"
    assert found == FAULTY
    for row in vet.rows:
        weights = vet.own_weights(row)
        assert weights is not None
        # Both are rounded to 0.1 here.
        (score,) = recomputed(row.scores, weights).values()
        assert abs(score - row.scores["overall"]) < 0.1, row.label


def test_the_data_say_of_each_such_row_what_it_is(infimm: Published, vet: Published) -> None:
    faults = raw("infimm-eval")["faults"]
    said = {row.label: row.fault for row in infimm.rows if row.fault}
    assert said == {label: faults[kind] for label, kind in FAULTY.items()}
    blip = next(row for row in infimm.rows if row.label == "BLIP-2")
    made = recomputed(blip.scores, infimm.weights[EARLIER])["complexity"]
    assert f"({made:.2f}, not 19.31)" in blip.fault
    assert next(r for r in infimm.rows if r.label == "BLIP-2, without CoT").scores[
        "overall"
    ] == round(made, 2)
    assert not any(row.fault for row in vet.rows)
    assert any("77.44" in text for _, text in infimm.remarks)
    assert next(row for row in infimm.rows if row.label == "GPT-4V").scores["overall"] == 74.44


def test_table_1_follows_from_equation_1(infimm: Published) -> None:
    rows = infimm.of("Table 1")
    errors = [off(infimm, CURRENT, row) for row in rows]
    assert len(rows) == 15
    assert sum(round(e["category"], 2) <= 0.04 for e in errors) == 15
    assert sum(e["complexity"] < 0.05 for e in errors) == 14
    assert [r.label for r, e in zip(rows, errors, strict=True) if e["complexity"] > 0.05] == [
        "BLIP-2"
    ]


def test_nine_rows_of_table_1_are_of_the_earlier_revision_by_their_complexities(
    infimm: Published,
) -> None:
    rows = [row for row in infimm.of("Table 1") if row.label != "BLIP-2"]
    nearer = {
        row.label: min(
            (off(infimm, name, row)["complexity"], revision)
            for name, revision in ((CURRENT, 279), (EARLIER, 283))
        )
        for row in rows
    }
    assert {row.label: row.revision for row in rows} == {k: v for k, (_, v) in nearer.items()}
    earlier = [error for error, revision in nearer.values() if revision == 283]
    assert len(earlier) == 9 and all(round(error, 3) <= 0.003 for error in earlier)
    current = {label for label, (error, revision) in nearer.items() if revision == 279}
    assert current == {"OpenFlamingo-v2", "Otter", "CogVLM-Chat", "Qwen-VL-Chat", "GPT-4V"}


def test_every_row_that_adds_up_says_of_which_revision_it_is(infimm: Published) -> None:
    for row in infimm.rows:
        if row.set == "full" and row.fault in ("", raw("infimm-eval")["faults"]["columns"]):
            weights = infimm.own_weights(row)
            assert weights is not None, row.label
            assert abs(recomputed(row.scores, weights)["category"] - row.scores["overall"]) < 0.01
        else:
            assert row.revision is None, row.label


def test_scores_of_a_column_are_whole_tenths_of_its_samples(infimm: Published) -> None:
    """Why the category weights of the earlier revision are what they are."""
    for row in infimm.of("Table 1"):
        weights = infimm.own_weights(row)
        assert weights is not None
        for name, weight in weights.bases["category"].items():
            tenths = row.scores[name] * weight / 10
            assert abs(tenths - round(tenths)) * 10 / weight < 0.006, (row.label, name)
    for row in infimm.of("Table 6"):
        tenths = row.scores["overall"] * (27 + 2 * 20) / 10
        assert abs(tenths - round(tenths)) * 10 / 67 < 0.006, row.label


def test_columns_of_mm_vet_are_made_of_the_integrations(vet: Published) -> None:
    """Tables 3, 5 and 7 against 4, 6 and 8: every number by capability."""
    for row in vet.rows:
        weights = vet.own_weights(row)
        assert weights is not None
        of = weights.bases["integration"]
        for capability in vet.columns[1:]:
            counts = {
                name: n
                for name, n in of.items()
                if capability in name.removesuffix("_only").split("+")
            }
            mean = sum(row.scores[name] * n for name, n in counts.items()) / sum(counts.values())
            assert abs(mean - row.scores[capability]) < 0.11, (row.label, capability)


def test_counts_of_samples_are_the_benchmarks(infimm: Published, vet: Published) -> None:
    assert sum(vet.weights["218 samples"].bases["integration"].values()) == 218
    assert sum(vet.weights["168 samples"].bases["integration"].values()) == 168
    assert len(vet.weights["218 samples"].bases["integration"]) == 16
    for name, samples in ((CURRENT, 279), (EARLIER, 283)):
        bases = infimm.weights[name].bases
        assert sum(bases["complexity"].values()) == sum(bases["category"].values())
        assert bases["complexity"]["moderate"] + bases["complexity"]["high"] / 2 == samples


@pytest.mark.parametrize("benchmark", published.BENCHMARKS)
def test_tables_that_print_a_row_twice_print_it_alike(benchmark: str) -> None:
    results = load(benchmark)
    for table in raw(benchmark)["tables"]:
        rows = {row.label.casefold(): row for row in results.of(table["source"])}
        assert len(rows) == len(table["rows"])
        for printed in table["rows"]:
            label = ", ".join(filter(None, [printed["model"], printed.get("setting")]))
            row = rows[label.casefold()]
            for column, score in zip(table["columns"], printed["scores"], strict=True):
                assert row.scores[column] == score, (table["source"], label, column)
                assert 0 <= score <= 100


def test_number_of_rows_of_every_table(infimm: Published, vet: Published) -> None:
    numbers = {"Table 1": 15, "Table 2": 10, "Table 3": 6, "Table 4": 14, "Table 6": 6}
    assert {s: len(infimm.of(s)) for s in [*numbers, "leaderboard"]} == {
        **numbers,
        "leaderboard": 17,
    }
    assert {n: len(vet.of(f"Table {n}")) for n in range(3, 9)} == dict(
        zip(range(3, 9), (16, 16, 5, 5, 3, 3), strict=True)
    )
    assert vet.agreement is not None
    assert vet.agreement.samples == 138
    assert vet.agreement.difference["GPT-4 (0613)"] == 0.042


def test_presets_name_rows_that_are_there(infimm: Published, vet: Published) -> None:
    results = {"infimm-eval": infimm, "mm-vet": vet}
    for preset in presets().values():
        for protocol, paper in preset.papers.items():
            for number in set(paper.tables) & {1, 3, 5, 7}:
                if protocol == "infimm-eval" and number == 5:
                    continue  # prompts, no scores
                rows = results[protocol].of(f"Table {number}")
                if rows:
                    models = [row.model.casefold() for row in rows]
                    assert any(m.startswith(paper.row.casefold()) for m in models), preset.name


def test_names_are_known_whatever_their_case(infimm: Published) -> None:
    rows = [row for row in infimm.rows if row.set == "full"]
    main = infimm.sets["full"].main

    def labels(name: str) -> list[str]:
        return [row.label for row in chosen(rows, main, check_name(name))]

    assert labels("gpt-4v") == ["GPT-4V"]
    assert labels("vicuna-7b") == [
        "Vicuna-7B, captions by GPT-4V",
        "Vicuna-7B, CoT, captions by GPT-4V",
    ]
    assert len(labels("TABLE 4")) == 14 and len(labels("leaderboard")) == 17
    assert len(labels("Published")) == 17
    assert labels("bard") == []


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"is 'gtp-4v'; .*Did you mean 'GPT-4V'"):
        check_name("gtp-4v")


def test_unknown_name_is_told_with_the_tables_first() -> None:
    with pytest.raises(ValueError, match="Known: published · Table 1 · Table 2 · ") as caught:
        check_name("§§§")
    assert " · leaderboard · any model of these" in str(caught.value)
