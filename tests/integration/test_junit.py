"""``--junitxml``: how each sample ended, in XML that any reader takes, whatever was written."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.support.benchmarks import sample, write_benchmark
from tests.support.runs import junit_cases, run

BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])

# Every kind of character that XML 1.0 does not have, and what XML itself is made of.
HOSTILE = [
    "".join(map(chr, range(32))) + "\x7f\x80\x9f",
    "half \ud83d of a pair, and \udc00 the other",
    "\ufffe \uffff \U0001fffe \U0010ffff",
    "]]> <![CDATA[ <!-- & &amp; &#0; </testcase> <?xml ?>",
    "\x1b[31mred\x1b]0;title\x07 \u202e \u2028",
]


@BOTH
@pytest.mark.parametrize("logging", ["no", "all"])
def test_the_file_is_sound_whatever_a_model_wrote(
    pytester: pytest.Pytester, workers: tuple[str, ...], logging: str
) -> None:
    rows = [
        sample(n + base, id=f"s{n + base}", question=f"{text}{n}", category=text, tags=[text])
        for base in (0, 50)
        for n, text in enumerate(HOSTILE)
    ]
    write_benchmark(pytester.path / "made", rows, name="a<b>&\x01")
    pytester.makepyfile(
        evil=f"""
        from pytest_mmreason import Verdict

        HOSTILE = {HOSTILE!r}

        def answer(prompt, images):
            return HOSTILE[int(prompt[-1])]

        def judge(sample, response):
            if int(sample.id[1:]) >= 50:
                raise ValueError(str(response))
            return Verdict(0.5, rationale=str(response))
        """
    )
    result = run(
        pytester, "--mm-model=python:evil:answer", "--mm-judge=python:evil:judge", "-rA",
        "--mm-benchmark=made", "--junitxml=junit.xml", "-o", f"junit_logging={logging}",
        *workers,
    )  # fmt: skip
    result.assert_outcomes(passed=5, failed=5)
    text = Path("junit.xml").read_text(encoding="utf-8")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", text)
    found = {told["mmreason_sample"]: told for _, told in junit_cases(Path("junit.xml"))}
    assert len(found) == 10
    assert {told["mmreason_status"] for told in found.values()} == {"scored", "judge_error"}
    assert found["s3"]["mmreason_category"] == HOSTILE[3]
    assert found["s0"]["mmreason_benchmark"] == "a<b>&\\x01"
    failures = [f.text or "" for f in ElementTree.parse("junit.xml").getroot().iter("failure")]
    assert len(failures) == 5
    assert any("</testcase>" in failure for failure in failures)


@BOTH
def test_the_id_of_a_sample_is_told_as_it_is(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    ids = ["猫-1", 'it\'s "so"', "a\\b", "<&>"]
    write_benchmark(pytester.path / "made", [sample(n, id=name) for n, name in enumerate(ids)])
    pytester.makepyfile(mine="def answer(prompt, images): return 'answer0'")
    arguments = ("--mm-model=python:mine:answer", "--mm-benchmark=made", "--junitxml=junit.xml")
    run(pytester, *arguments, *workers)
    assert {told["mmreason_sample"] for _, told in junit_cases(Path("junit.xml"))} == set(ids)


@BOTH
def test_properties_of_a_sample(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    rows = [sample(n) for n in range(2)]
    rows[1] |= {"category": "", "complexity": "", "answer": None}
    write_benchmark(pytester.path / "made", rows)
    pytester.makepyfile(mine="def answer(prompt, images): return 'answer0'")
    arguments = ("--mm-model=python:mine:answer", "--mm-benchmark=made", "--mm-repeats=2")
    run(pytester, *arguments, "--mm-prompt=cot", "--junitxml=junit.xml", *workers)
    common = {
        "mmreason_benchmark": "made", "mmreason_model": "python:mine:answer",
        "mmreason_judge": "local", "mmreason_prompt": "cot",
    }  # fmt: skip
    first = {
        "mmreason_sample": "s0", "mmreason_status": "scored", "mmreason_score": "1.0",
        "mmreason_category": "deductive", "mmreason_complexity": "moderate", **common,
    }  # fmt: skip
    second = {"mmreason_sample": "s1", "mmreason_status": "unjudged", **common}
    found = [told for _, told in junit_cases(Path("junit.xml"))]
    for expected in (first, second):
        assert expected in found
        assert {**expected, "mmreason_repeat": "1"} in found
    assert len(found) == 4
