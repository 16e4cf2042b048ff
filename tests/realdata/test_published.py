"""Published results against the real files: the leaderboard, the sets, a rank."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from pytest_mmreason.benchmarks import infimm_eval, mm_vet
from pytest_mmreason.benchmarks.official import digest
from pytest_mmreason.published import beside, load
from pytest_mmreason.scoring import integration
from pytest_mmreason.selection import read_subset
from tests.support.benchmarks import read_summary
from tests.support.runs import flat, run


def test_leaderboard_is_the_authors(realdata: Path) -> None:
    text = (realdata / "infimm" / "leaderboard_from_site.json").read_text(encoding="utf-8")
    rows = {row.model.casefold(): row for row in load("infimm-eval").of("leaderboard")}
    entries = json.loads(text)
    assert len(rows) == len(entries) == 17
    for entry in entries:
        row = rows[entry["MLLM"].casefold()]
        assert {name: entry[name.capitalize()] for name in row.scores} == row.scores
        assert (row.llm, row.tuned) == (entry["LLM"], entry["IFT"] == "Yes")


def test_sets_and_weights_are_those_of_the_files(realdata: Path) -> None:
    vet, results = mm_vet.load(realdata / "mmvet"), load("mm-vet")
    bard = set(read_subset(realdata / "mmvet" / "bard_set.json"))
    assert digest([i] for i in bard) == results.sets["Bard"].ids
    for name, ids in (("218 samples", {s.id for s in vet.samples}), ("168 samples", bard)):
        counts = Counter(integration(s.capabilities) for s in vet.samples if s.id in ids)
        assert counts == results.weights[name].bases["integration"]
    infimm, of_infimm = infimm_eval.load(realdata / "infimm"), load("infimm-eval")
    several = [s.id for s in infimm.samples if len(s.images) > 1]
    assert digest([i] for i in several) == of_infimm.sets["multi-image"].ids
    plain = Counter(s.category for s in infimm.samples)
    assert plain == of_infimm.weights["plain mean"].bases["category"]
    weights: Counter[str] = Counter()
    for s in infimm.samples:
        weights[s.category] += int(s.weight)
    assert weights == of_infimm.weights["Eq. 1, 279 samples"].bases["category"]
    assert set(beside([vet, infimm])) == {"mm-vet", "infimm-eval"}


def test_published_grades_of_llava_rank_among_mm_vets_results(
    pytester: pytest.Pytester, realdata: Path
) -> None:
    folder = realdata / "mmvet"
    options = (
        f"--mm-benchmark=mm-vet={folder}",
        f"--mm-model=replay:{folder}/predictions/llava-v1.5-7b.official-eval-zip.json",
        f"--mm-judge=replay:{folder}/graded/llava-v1.5-7b_gpt-4-grade-3runs.json",
        "--mm-judge-runs=3",
        "--mm-compare=published",
        "--mm-output=out",
    )
    assert "published on MM-Vet · rank 6 of 18" in flat(run(pytester, *options))
    subset = run(pytester, *options, f"--mm-subset={folder}/bard_set.json")
    assert "published on MM-Vet (Bard subset) · rank" in flat(subset)
    (data,) = read_summary(pytester.path / "out")["runs"]
    names = {line["name"] for line in data["published"]["rows"]}
    assert names == {"this run", *(row.label for row in load("mm-vet").of("Table 5"))}


def test_infimm_eval_is_ranked_with_its_correction_only(
    pytester: pytest.Pytester, realdata: Path
) -> None:
    folder = pytester.path / "infimm"
    folder.mkdir()
    file = "core-mm-wo-answer.json"
    shutil.copy(realdata / "infimm" / file, folder / file)
    ids = list(json.loads((folder / file).read_text(encoding="utf-8")))
    references = "".join(json.dumps({"id": i, "answer": "yes"}) + "\n" for i in ids)
    (folder / "references.jsonl").write_text(references, encoding="utf-8")
    (pytester.path / "a.json").write_text(json.dumps(dict.fromkeys(ids, "yes")), encoding="utf-8")
    options = (f"--mm-benchmark=infimm-eval={folder}", "--mm-model=replay:a.json")
    asked = (*options, "--mm-compare=published")
    text = flat(run(pytester, *asked))
    assert "published on InfiMM-Eval · rank 1 of 17" in text
    assert "not ranked: BLIP-2: its moderate and high columns do not make" in text
    assert "172 of its samples are moderate, not 171" in flat(
        run(pytester, *asked, "--mm-corrections=off")
    )
    several = flat(run(pytester, *asked, "-m", "multi_image"))
    assert "published on InfiMM-Eval (multi-image subset) · rank 1 of 7" in several
    (folder / "references.jsonl").unlink()
    assert "279 of its 279 samples have no score" in flat(run(pytester, *asked))
