"""How far the offline judges are from GPT-4's grades: python perf/judge_agreement.py [FOLDER]

FOLDER holds the real files (default: $MMREASON_REALDATA, else ../shared/realdata), which are
no part of this repository. Every grade file is measured on the answers it belongs to; the mean
over the files is of one file a grader. Prints the mean |judge - grade|, the bias, and the same by
capability, by kind of answer and by the judge's confidence; then answers judged a second.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from pytest_mmreason.judges.grading import sample_words
from pytest_mmreason.judges.keyword import match_keywords
from pytest_mmreason.judges.local import judge_locally
from pytest_mmreason.judges.normalise import words
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import Verdict

ZIP, RERUN = "llava-v1.5-7b.official-eval-zip.json", "llava-v1.5-7b.haoming2000-rerun.json"
GRADED = {  # grade file: the answers it grades
    "llava-v1.5-7b_gpt-4-grade-3runs.json": ZIP,
    "llava-v1.5-7b_gpt-4-grade-1runs.json": ZIP,
    "llava-v1.5-7b_gpt-4-0613-grade-1runs.json": RERUN,
}
ONE_A_GRADER = ("llava-v1.5-7b_gpt-4-grade-3runs.json", "llava-v1.5-7b_gpt-4-0613-grade-1runs.json")
BUCKETS = (0.0, 0.4, 0.5, 0.7, 0.9, 1.01)


@dataclass(frozen=True)
class Judged:
    """One graded answer and the judge's verdict on it; both grades in [0, 1]."""

    sample: Sample
    grade: float
    verdict: Verdict

    @property
    def error(self) -> float:
        return self.verdict.score - self.grade


def local(sample: Sample, answer: str, protocol: str = "mm-vet") -> Verdict:
    return judge_locally(sample, answer, protocol)


def keyword(sample: Sample, answer: str) -> Verdict:
    return match_keywords(sample.answer or "", answer)


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def kind(sample: Sample) -> str:
    """The kind of reference answer that a judge has to deal with."""
    answer = sample.answer or ""
    tokens = words(answer.partition("<OR>")[0]).tokens
    if "<AND>" in answer:
        return "several parts"
    if tokens[:1] in (("yes",), ("no",)):
        return "yes or no"
    if len(tokens) > 8:
        return "long text"
    if len(tokens) == 1 and tokens[0][0] == "#":
        return "number"
    return "one word" if len(tokens) == 1 else "a few words"


def line(name: str, judged: Sequence[Judged]) -> str:
    if not judged:
        return f"  {name:22} no answers"
    errors = [j.error for j in judged]
    return (
        f"  {name:22} n {len(errors):3}   mean |difference| {statistics.fmean(map(abs, errors)):.3f}"
        f"   bias {statistics.fmean(errors):+.3f}   off by 0.5 or more "
        f"{sum(abs(e) >= 0.5 for e in errors)}"
    )


def groups(judged: Sequence[Judged]) -> Iterable[tuple[str, list[Judged]]]:
    yield "all", list(judged)
    yield "without gen", [j for j in judged if "gen" not in j.sample.capabilities]
    yield "with gen", [j for j in judged if "gen" in j.sample.capabilities]


def details(judged: Sequence[Judged]) -> Iterable[tuple[str, list[Judged]]]:
    for name in sorted({c for j in judged for c in j.sample.capabilities}):
        yield name, [j for j in judged if name in j.sample.capabilities]
    for name in sorted({kind(j.sample) for j in judged}):
        yield name, [j for j in judged if kind(j.sample) == name]
    for low, high in pairwise(BUCKETS):
        found = [j for j in judged if low <= (j.verdict.confidence or 0.0) < high]
        if found:
            yield f"confidence {low:.1f}-{min(high, 1.0):.1f}", found


def mm_vet(folder: Path) -> list[tuple[Sample, str]]:
    """Print the tables of the MM-Vet files; the samples and answers, for the clock."""
    meta = read(folder / "mm-vet.json")
    samples = {
        name: Sample(name, m["question"], answer=m["answer"], capabilities=tuple(m["capability"]))
        for name, m in meta.items()
    }
    judges: dict[str, Callable[[Sample, str], Verdict]] = {"local": local, "keyword": keyword}
    headline: dict[tuple[str, str], list[float]] = {}
    pairs: list[tuple[Sample, str]] = []
    for graded, predicted in GRADED.items():
        if not (folder / "graded" / graded).is_file():
            print(f"{graded}: absent", file=sys.stderr)
            continue
        grades, answers = read(folder / "graded" / graded), read(folder / "predictions" / predicted)
        pairs += [(samples[name], answers[name]) for name in grades]
        for name, judge in judges.items():
            judged = [
                Judged(samples[i], statistics.fmean(g["score"]), judge(samples[i], answers[i]))
                for i, g in grades.items()
            ]
            print(f"{name} against {graded} on {predicted}")
            for group, members in groups(judged):
                print(line(group, members))
                if graded in ONE_A_GRADER:
                    mean = statistics.fmean(abs(j.error) for j in members)
                    headline.setdefault((name, group), []).append(mean)
            if name == "local":
                for group, members in details(judged):
                    print(line(f"  {group}", members))
    print("mean over one file a grader, each on its own answers")
    for (name, group), means in headline.items():
        print(f"  {name:8} {group:12} {statistics.fmean(means):.4f}")
    return pairs


def infimm(folder: Path) -> list[tuple[Sample, str]]:
    """Print what `local` gives the authors' own graded predictions; for the clock."""
    rows = {
        name: [json.loads(text) for text in (folder / name).read_text("utf-8").splitlines()]
        for name in ("references.jsonl", "graded_predictions.jsonl", "core-mm-wo-answer.json")
        if name.endswith(".jsonl")
    }
    questions = read(folder / "core-mm-wo-answer.json")
    samples = {
        row["id"]: Sample(
            row["id"],
            questions[row["id"]]["Question"],
            answer=row["answer"],
            steps=tuple(row["steps"]),
        )
        for row in rows["references.jsonl"]
    }
    graded = rows["graded_predictions.jsonl"]
    judged = [
        Judged(
            samples[row["id"]],
            row["grade"],
            local(samples[row["id"]], row["prediction"], "infimm-eval"),
        )
        for row in graded
    ]
    print("local against the authors' grades of InfiMM-Eval")
    print(line("all", judged))
    for row, found in zip(graded, judged, strict=True):
        print(f"  {row['id']} {row['model']}: {found.grade} by hand, {found.verdict.score} local")
    print("  reference answer as response, wrong sample's as response, steps without the answer")
    ids = list(samples)
    for at, name in enumerate(ids):
        sample, other = samples[name], samples[ids[at - 1]]
        tried = (sample.answer or "", other.answer or "", " ".join(sample.steps[:-1]))
        print(f"  {name}", *(local(sample, text, "infimm-eval").score for text in tried))
    return [(samples[row["id"]], row["prediction"]) for row in graded]


def speed(pairs: Sequence[tuple[Sample, str]], rounds: int) -> None:
    """Print answers a second, each answer by its best round: other jobs disturb single ones."""
    best = [math.inf] * len(pairs)
    for _ in range(rounds):
        sample_words.cache_clear()  # as the first model of a run finds it
        for at, (sample, answer) in enumerate(pairs):
            started = time.perf_counter()
            local(sample, answer)
            best[at] = min(best[at], time.perf_counter() - started)
    print(f"local judges {len(pairs) / sum(best):,.0f} answers a second on one core")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    default = os.environ.get("MMREASON_REALDATA") or "../shared/realdata"
    parser.add_argument("folder", nargs="?", type=Path, default=Path(default))
    parser.add_argument("--rounds", type=int, default=5, help="of the clock (default: 5)")
    arguments = parser.parse_args()
    if not (arguments.folder / "mmvet" / "mm-vet.json").is_file():
        parser.error(f"no real files at {arguments.folder} (set MMREASON_REALDATA)")
    pairs = mm_vet(arguments.folder / "mmvet") + infimm(arguments.folder / "infimm")
    speed(pairs, arguments.rounds)


if __name__ == "__main__":
    main()
