"""mm_sample, mm_model, mm_judge and mm_evaluate in a test of the user's own."""

from __future__ import annotations

import pytest

from tests.support.benchmarks import sample
from tests.support.project import Project

SERIAL_AND_WORKERS = pytest.mark.parametrize("args", [(), ("-n2",)], ids=["serial", "workers"])


def test_sample_is_what_the_benchmark_says(project: Project) -> None:
    project.write_samples(
        [sample(1, images=["a.png", "b.png"], tags=["t"]), sample(2, answer=None)]
    )
    project.pytester.makepyfile(
        """
        from pytest_mmreason import ImageRef, Sample

        def test_it(mm_sample):
            assert isinstance(mm_sample, Sample)
            if mm_sample.id == "s2":
                assert mm_sample.answer is None
                return
            assert mm_sample.question == "What is number 1?"
            assert [image.path for image in mm_sample.images] == ["a.png", "b.png"]
            assert (mm_sample.category, mm_sample.complexity) == ("deductive", "high")
            assert (mm_sample.answer, mm_sample.capabilities) == ("answer1", ("rec",))
            assert (mm_sample.tags, mm_sample.benchmark) == (("t",), "made")
        """
    )
    result = project.run("-o", "mm_suite=off")
    result.assert_outcomes(passed=2)
    assert project.calls() == []


STEP_BY_STEP = """
    from PIL import Image

    def test_it(mm_sample, mm_model, mm_judge, mm_evaluate):
        assert mm_sample.images[0].path == "a.png"
        response = mm_model("Tell me: " + mm_sample.question, mm_sample.images)
        again = mm_model("number 77", [Image.new("RGBA", (4, 4))])
        assert str(again) == "answer77"
        verdict = mm_judge(mm_sample, response)
        assert verdict.score == 1.0
        assert mm_judge(mm_sample, "  ").score == 0.0
        half = verdict.score / 2 if mm_sample.id == "s0" else verdict
        record = mm_evaluate.record(mm_sample, response, half)
        assert record.sample == mm_sample.id
"""


@SERIAL_AND_WORKERS
def test_step_by_step_asks_judges_and_records(project: Project, args: tuple[str, ...]) -> None:
    from PIL import Image

    project.write_samples([sample(n, images=["a.png"]) for n in range(4)])
    Image.new("L", (4, 4)).save(project.benchmark / "a.png")
    project.pytester.makepyfile(STEP_BY_STEP)
    result = project.run("--mm-output=out", "--mm-judge=python:models_of_mine:exact", *args)
    assert result.ret == 0
    result.assert_outcomes(passed=4)
    records = project.records()
    assert [(r["sample"], r["status"], r["score"]) for r in records] == [
        ("s0", "scored", 0.5),
        ("s1", "scored", 1.0),
        ("s2", "scored", 1.0),
        ("s3", "scored", 1.0),
    ]
    assert [r["response"] for r in records] == [f"answer{n}" for n in range(4)]
    steps = [(images, prompt) for _, images, prompt in project.calls() if "Tell me" in prompt]
    assert sorted(steps) == [(1, f"Tell me: What is number {n}?") for n in range(4)]


@SERIAL_AND_WORKERS
def test_step_by_step_errors_are_raised_in_the_test(
    project: Project, args: tuple[str, ...]
) -> None:
    project.pytester.makepyfile(
        broken="""
        def answer(prompt, images): raise ValueError("no weights")
        def judge(sample, response): return 7
        """,
        test_broken="""
        import pytest
        from pytest_mmreason import JudgeError, ModelError

        def test_model(mm_sample, mm_model):
            with pytest.raises(ModelError, match="no weights"):
                mm_model(mm_sample.question)

        def test_judge(mm_sample, mm_judge):
            with pytest.raises(JudgeError, match="returned 7"):
                mm_judge(mm_sample, "answer")
        """,
    )
    model = ["--mm-model=python:broken:answer", "--mm-judge=python:broken:judge"]
    result = project.run_plain(*model, project.made, "-o", "mm_suite=off", "--mm-limit=1", *args)
    result.assert_outcomes(passed=2)


def test_judge_of_a_sample_without_reference_says_so(project: Project) -> None:
    project.write_samples([sample(0, answer=None)])
    project.pytester.makepyfile("def test_it(mm_sample, mm_judge): mm_judge(mm_sample, 'x')")
    result = project.run("-o", "mm_suite=off")
    result.stdout.fnmatch_lines(["E *ValueError: sample 's0' has no reference answer to judge by"])


def test_each_of_two_models_is_asked_by_its_own_items(project: Project) -> None:
    project.pytester.makepyfile(
        """
        def test_it(mm_sample, mm_model, mm_evaluate):
            mm_evaluate.record(mm_sample, mm_model(mm_sample.question), 1.0)
        """
    )
    project.run("--mm-model=python:models_of_mine:wrong", "--mm-output=out", "--mm-limit=2")
    found = {(r["model"], r["response"][:6]) for r in project.records()}
    assert found == {
        ("python:models_of_mine:right", "answer"),
        ("python:models_of_mine:wrong", "no ide"),
    }
