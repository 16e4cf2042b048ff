"""--mm-compare puts published results around the run's own, and says its rank."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from pytest_mmreason import published
from pytest_mmreason.__main__ import main
from pytest_mmreason.published import Published
from tests.support.benchmarks import (
    read_summary,
    sample,
    summary_text,
    write_answers,
    write_benchmark,
)
from tests.support.official import VET, write_vet
from tests.support.runs import flat, run, summary_lines

ANSWERS = "answers.json"


SAMPLES = 10
"""As many as MM-Vet is made to have here."""


@pytest.fixture
def whole(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """A run of as many samples as MM-Vet has, under its name; three in ten are right."""
    load = published.load

    def smaller(benchmark: str) -> Published:
        results = load(benchmark)
        full = dataclasses.replace(results.sets["full"], samples={"overall": SAMPLES})
        return dataclasses.replace(results, sets={**results.sets, "full": full})

    monkeypatch.setattr(published, "load", smaller)
    numbers = range(SAMPLES)
    rows = [sample(n, category="", complexity="", capabilities=["rec"]) for n in numbers]
    folder = write_benchmark(pytester.path / "vet", rows, name="mm-vet", protocol="mm-vet")
    manifest = folder / "benchmark.toml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(f'{text}version = "current"\n', encoding="utf-8")
    write_answers(
        pytester.path / ANSWERS, {f"s{n}": f"answer{n}" if n < 3 else "no" for n in numbers}
    )
    return (
        f"--mm-benchmark=mm-vet={folder}",
        f"--mm-model=replay:{ANSWERS}",
        "--mm-judge=keyword",
        "--mm-show=0",
    )


@pytest.fixture
def partial(pytester: pytest.Pytester) -> tuple[str, ...]:
    """Official files that are not as published."""
    folder = write_vet(pytester.path / "altered")
    write_answers(pytester.path / ANSWERS, dict.fromkeys(VET, "a flag"))
    return (f"--mm-benchmark=mm-vet={folder}", f"--mm-model=replay:{ANSWERS}", "--mm-show=0")


def test_rank_stands_in_terminal_markdown_and_json(
    pytester: pytest.Pytester, whole: tuple[str, ...]
) -> None:
    result = run(pytester, *whole, "--mm-compare=published", "--mm-output=out")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            " published on MM-Vet · rank 6 of 18",
            "* rank   model                 *overall *",
            "*  1   GPT-4V                  * 67.7 *",
            "*  5   LLaMA-Adapter v2-7B     * 31.4 *",
            "*  6   → this run              * 30.0 *",
            "*  7   LLaVA-7B (LLaMA-2)      * 28.1 *",
            "* 18   Transformers Agent (GPT-4) * 13.4 *",
        ]
    )
    assert (
        "published scores were graded by GPT-4 (0613), the mean of 5 runs; this run's by keyword"
        in (flat(result))
    )
    out = pytester.path / "out"
    (data,) = read_summary(out)["runs"]
    assert (data["published"]["rank"], data["published"]["of"]) == (6, 18)
    assert data["published"]["rows"][5]["own"] is True
    page = (out / "summary.md").read_text(encoding="utf-8")
    assert "#### published on MM-Vet · rank 6 of 18" in page
    assert "| **6** | **→ this run** | **30.0** |" in page
    assert "| 1 | GPT-4V | 67.7 | 67.5 | 68.3 | 56.2 | 60.7 | 69.4 | 58.6 | Table 7 |" in page


def test_unasked_a_line_names_the_neighbours(
    pytester: pytest.Pytester, whole: tuple[str, ...]
) -> None:
    result = run(pytester, *whole, "--mm-output=out")
    assert (
        "published below: LLaVA-7B (LLaMA-2) 28.1 · above: LLaMA-Adapter v2-7B 31.4 best: GPT-4V 67.7 · graded by GPT-4"
        in flat(result)
    )
    out = pytester.path / "out"
    assert "published" not in read_summary(out)["runs"][0]
    assert "- published: below: LLaVA-7B (LLaMA-2) 28.1 · " in (out / "summary.md").read_text(
        "utf-8"
    )
    assert "published" not in flat(run(pytester, *whole, "--mm-limit=5"))


@pytest.mark.parametrize("width", [80, 120])
def test_table_fits_the_terminal(
    pytester: pytest.Pytester,
    whole: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    width: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    result = run(pytester, *whole, "--mm-compare=published")
    lines = summary_lines(result)
    start = next(i for i, line in enumerate(lines) if line.startswith(" published on"))
    assert max(map(len, lines[start:])) < width
    header = lines[start + 1].split()
    assert header[:4] == ["rank", "model", "overall", "rec"]
    assert ("source" in header) == (width == 120)
    assert len(lines[start + 3 : start + 21]) == 18
    assert lines[start + 20].split()[:2] == ["18", "Transformers"]


def test_workers_and_merged_shards_say_the_same(
    pytester: pytest.Pytester, whole: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    options = (*whole, "--mm-compare=published", "--mm-compare=bard")
    serial = run(pytester, *options, "--mm-output=serial")
    parallel = run(pytester, *options, "--mm-output=parallel", "-n2")
    told = [
        [line for line in summary_lines(r) if "results in" not in line] for r in (serial, parallel)
    ]
    assert told[0] == told[1]
    for part in (1, 2):
        shard = run(pytester, *options, f"--mm-shard={part}/2", f"--mm-output=s{part}")
        assert "this run is not ranked: it covers 5 of the 10 samples" in flat(shard)
    capsys.readouterr()
    assert main(["merge", "s1", "s2", "--mm-output=merged"]) == 0
    printed = capsys.readouterr().out
    assert " published on MM-Vet · rank 6 of 18" in printed
    files = [summary_text(pytester.path / name) for name in ("serial", "parallel", "merged")]
    assert files[0] == files[1] == files[2]
    assert main(["merge", "s1", "s2", "--mm-compare=GPT-4V"]) == 0
    assert "rank 2 of 2" in capsys.readouterr().out
    assert main(["merge", "s1", "s2", "--mm-compare=GPT-5V"]) == 4
    assert "--mm-compare is 'GPT-5V'" in capsys.readouterr().err


def test_altered_files_are_shown_and_not_ranked(
    pytester: pytest.Pytester, partial: tuple[str, ...]
) -> None:
    result = run(pytester, *partial, "--mm-compare=published")
    result.stdout.fnmatch_lines([" published on MM-Vet · not ranked", "*–   → this run *"])
    assert "this run is not ranked: its benchmark file is not as published" in flat(result)


def test_an_errored_sample_keeps_the_run_unranked_however_it_is_counted(
    pytester: pytest.Pytester, whole: tuple[str, ...]
) -> None:
    answers = pytester.path / ANSWERS
    known = json.loads(answers.read_text(encoding="utf-8"))
    del known["s7"]
    write_answers(answers, known)
    for how in ("exclude", "zero"):
        result = run(pytester, *whole, "--mm-compare=published", f"--mm-on-error={how}")
        assert "1 of its 10 answers ended in an error" in flat(result)


def test_other_benchmarks_get_one_note(pytester: pytest.Pytester, whole: tuple[str, ...]) -> None:
    write_answers(pytester.path / "b.json", {"s0": "answer0"})
    made = write_benchmark(pytester.path / "made", [sample(0)])
    options = ("--mm-model=replay:answers.json", "--mm-model=replay:b.json", "--mm-max-errors=999")
    result = run(pytester, f"--mm-benchmark={made}", *options, "--mm-compare=published")
    text = flat(result)
    assert text.count("--mm-compare: nothing is published on made;") == 1
    assert "rank" not in text
    both = flat(run(pytester, *whole, f"--mm-benchmark={made}", "--mm-compare=published"))
    assert "nothing is published on made;" in both and "rank 6 of 18" in both
    assert "--mm-compare" not in flat(run(pytester, f"--mm-benchmark={made}", *options))


def test_a_typo_is_a_usage_error_with_the_nearest_names(
    pytester: pytest.Pytester, whole: tuple[str, ...]
) -> None:
    result = run(pytester, *whole, "--mm-compare=gtp-4v")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--mm-compare is 'gtp-4v'" in result.stderr.str()
    assert "Did you mean 'GPT-4V'" in result.stderr.str()
    assert "Traceback" not in result.stderr.str()


def test_ini_names_results_and_the_command_line_replaces_them(
    pytester: pytest.Pytester, whole: tuple[str, ...]
) -> None:
    pytester.makeini("[pytest]\nmm_compare =\n    bard\n    MM-REACT-GPT-4\n")
    assert "rank 2 of 2" in flat(run(pytester, *whole))
    assert "rank 6 of 18" in flat(run(pytester, *whole, "--mm-compare=published"))
    switched_off = flat(run(pytester, *whole, "--mm-compare="))
    assert "rank" not in switched_off and "graded by GPT-4" in switched_off


def test_nothing_is_read_where_nobody_asks(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(benchmark: str) -> None:
        raise AssertionError(f"{benchmark} was read")

    monkeypatch.setattr(published, "load", refuse)
    write_answers(pytester.path / "b.json", {"s0": "answer0"})
    made = write_benchmark(pytester.path / "made", [sample(0)])
    assert run(pytester, f"--mm-benchmark={made}", "--mm-model=replay:b.json").ret == 0


def test_data_travel_with_the_package() -> None:
    folder = Path(published.__file__).parent
    assert {path.stem for path in folder.glob("*.toml")} == set(published.BENCHMARKS)
