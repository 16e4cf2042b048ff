"""``--mm-model=hf:DIR``: a checkpoint is loaded once, computed in batches, and cached by its content."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="local models need torch")
pytest.importorskip("transformers", reason="local models need transformers")

from tests.support.benchmarks import read_records, read_summary, write_benchmark
from tests.support.checkpoints.gemma import make_paligemma
from tests.support.local import llava, loads, offline, one_thread, write_shown  # noqa: F401
from tests.support.project import Project
from tests.support.runs import flat, statuses

SHORT = "--mm-param=max_tokens=6"


@pytest.fixture
def shown(project: Project) -> Path:
    """A benchmark whose samples have images; one has two."""
    return write_shown(project.path / "shown", 9, several=4)


def run(project: Project, checkpoint: Path, *args: object) -> pytest.RunResult:
    return project.run_plain(f"--mm-model=hf:{checkpoint}", "--mm-benchmark=shown", SHORT, *args)


def predictions(folder: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((folder / "predictions.json").read_text(encoding="utf-8"))
    return found


def test_checkpoint_answers_and_the_summary_says_where_it_ran(
    project: Project,
    shown: Path,
    llava: Path,  # noqa: F811
    loads: list[str],  # noqa: F811
) -> None:
    result = run(project, llava, "--mm-output=out", "--mm-batch-size=4")
    assert result.ret == 0
    records = read_records(project.path / "out")
    assert set(statuses(records).values()) == {"scored"}
    assert len(records) == 9
    assert "hf:llava · cpu · float32 · batch 4 · prompt direct" in flat(result)
    assert "hf:llava · cpu · float32 · batch 4" in (project.path / "out" / "summary.md").read_text()
    assert loads == ["cpu"]
    for record in records:
        assert record["model"] == "hf:llava"
        assert record["finish_reason"] in ("length", "stop")
        usage = record["usage"]["model"]
        assert usage["calls"] == 1
        assert usage["prompt_tokens"] > 10
        assert 1 <= usage["completion_tokens"] <= 6
    two = next(r for r in records if r["sample"] == "s4")
    assert len(two["images"]) == 2
    assert read_summary(project.path / "out")["runs"][0]["usage"]["model"]["calls"] == 9


def test_batch_gives_the_text_that_each_sample_gets_alone(
    project: Project,
    shown: Path,
    llava: Path,  # noqa: F811
) -> None:
    for size in (1, 5):
        result = run(
            project, llava, f"--mm-batch-size={size}", f"--mm-output=o{size}", "--mm-cache=off"
        )
        assert result.ret == 0
        assert f"· batch {size}" in flat(result)
    alone = predictions(project.path / "o1")
    assert predictions(project.path / "o5") == alone
    assert len(set(alone.values())) > 1


def test_answer_that_fills_the_context_cuts_no_other_of_its_batch(
    project: Project,
    llava: Path,  # noqa: F811
) -> None:
    write_shown(project.path / "shown", 2)
    path = project.path / "shown" / "samples.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows[0]["question"] = "x" * 1985
    write_benchmark(project.path / "shown", rows)
    for size in (2, 1):
        found = run(
            project,
            llava,
            "--mm-param=max_tokens=200",
            f"--mm-batch-size={size}",
            f"--mm-output=o{size}",
            "--mm-cache=off",
        )
        assert found.ret == 0
    alone = predictions(project.path / "o1")
    assert predictions(project.path / "o2") == alone
    lengths = [r["usage"]["model"]["completion_tokens"] for r in read_records(project.path / "o2")]
    assert lengths[0] < 100 < lengths[1]


def test_second_run_loads_nothing_and_another_checkpoint_is_asked_anew(
    project: Project,
    shown: Path,
    llava: Path,  # noqa: F811
    loads: list[str],  # noqa: F811
) -> None:
    own = project.path / "mine"
    shutil.copytree(llava, own)
    assert run(project, Path("./mine")).ret == 0
    again = run(project, Path("mine"), "--mm-batch-size=2")
    assert "9 responses from the cache" in flat(again)
    assert "hf:mine · cpu · float32 · prompt" in flat(again)
    assert len(loads) == 1
    config = json.loads((own / "generation_config.json").read_text(encoding="utf-8"))
    config["repetition_penalty"] = 1.5
    (own / "generation_config.json").write_text(json.dumps(config), encoding="utf-8")
    assert "from the cache" not in flat(run(project, own))
    assert len(loads) == 2
    for changed in (["--mm-dtype=bfloat16"], ["--mm-param=temperature=0.7"]):
        assert "from the cache" not in flat(run(project, own, *changed))


WATCH = """
    import pathlib, sys

    def pytest_sessionfinish(session):
        worker = getattr(session.config, "workerinput", {}).get("workerid")
        if worker:
            loaded = sorted({"torch", "transformers"} & set(sys.modules))
            pathlib.Path(f"worker-{worker}.txt").write_text(" ".join(loaded))
"""


def test_workers_share_one_load(
    project: Project,
    shown: Path,
    llava: Path,  # noqa: F811
    loads: list[str],  # noqa: F811
) -> None:
    serial = run(project, llava, "--mm-output=serial", "--mm-cache=off")
    project.pytester.makeconftest(WATCH)
    shared = run(project, llava, "--mm-output=shared", "--mm-cache=off", "-n4")
    assert (serial.ret, shared.ret) == (0, 0)
    assert loads == ["cpu", "cpu"]  # one of each run
    workers = sorted(project.path.glob("worker-*.txt"))
    assert len(workers) == 4
    assert {path.read_text() for path in workers} == {""}
    assert predictions(project.path / "shared") == predictions(project.path / "serial")


BY_HAND = """
    from PIL import Image

    def test_by_hand(mm_sample, mm_model, mm_judge, mm_evaluate):
        response = mm_model(mm_sample.question, mm_sample.images)
        assert response.usage["prompt_tokens"] > 10
        again = mm_model("What else?", [Image.new("RGB", (30, 30), "red")])
        assert again.text
        mm_evaluate.record(mm_sample, response, mm_judge(mm_sample, response))
"""


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["serial", "workers"])
def test_call_by_hand_goes_the_same_way(
    project: Project,
    shown: Path,
    llava: Path,  # noqa: F811
    loads: list[str],  # noqa: F811
    workers: list[str],
) -> None:
    project.pytester.makepyfile(test_own=BY_HAND)
    result = run(project, llava, "test_own.py", "--mm-limit=3", *workers)
    result.assert_outcomes(passed=3)
    assert loads == ["cpu"]


def test_sample_whose_image_is_broken_costs_itself_only(
    project: Project,
    shown: Path,
    llava: Path,  # noqa: F811
) -> None:
    (shown / "3-0.png").write_bytes(b"\x89PNG")
    result = run(project, llava, "--mm-output=out", "--mm-batch-size=4", "--mm-max-errors=1")
    assert result.ret == 0
    found = statuses(read_records(project.path / "out"))
    assert found.pop("s3") == "data_error"
    assert set(found.values()) == {"scored"}


def test_two_local_models_side_by_side(
    project: Project,
    shown: Path,
    llava: Path,  # noqa: F811
) -> None:
    other = project.path / "other" / "llava"
    shutil.copytree(llava, other)
    result = run(project, llava, f"--mm-model=hf:{other}", "--mm-limit=4", "--mm-output=out")
    assert result.ret == 0
    names = {record["model"] for record in read_records(project.path / "out")}
    assert len(names) == 2
    assert all(re.fullmatch(r"hf:\w+/llava", name) for name in names)


def test_random_answers_are_the_same_in_every_batch_and_differ_between_repeats(
    project: Project,
    shown: Path,
    llava: Path,  # noqa: F811
) -> None:
    texts = {}
    for size in (1, 4):
        options = ["--mm-param=temperature=1", "--mm-repeats=2", "--mm-cache=off"]
        assert (
            run(project, llava, f"--mm-batch-size={size}", f"--mm-output=o{size}", *options).ret
            == 0
        )
        records = read_records(project.path / f"o{size}")
        texts[size] = {(r["sample"], r["repeat"]): r["response"] for r in records}
    assert texts[1] == texts[4]
    assert any(texts[1][name, 0] != texts[1][name, 1] for name, _ in texts[1])


@pytest.fixture(scope="module")
def paligemma(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its processor makes numpy arrays of torch's tensors, of which numpy warns."""
    folder = tmp_path_factory.mktemp("checkpoints") / "paligemma"
    make_paligemma(folder)
    return folder


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_warnings_of_the_libraries_end_no_sample(
    project: Project, shown: Path, paligemma: Path, workers: tuple[str, ...]
) -> None:
    project.pytester.makeini("[pytest]\nfilterwarnings = error\n")
    result = project.pytester.runpytest_subprocess(
        f"--mm-model=hf:{paligemma}", "--mm-benchmark=shown", SHORT, "--mm-output=out", *workers
    )
    assert result.ret == 0
    assert set(statuses(read_records(project.path / "out")).values()) == {"scored"}
