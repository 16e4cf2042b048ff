"""The HTML report: what models wrote stays text, pictures may be absent, nothing is fetched."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_mmreason.reports.html import data, pictures
from pytest_mmreason.sample import ImageRef, Sample
from pytest_mmreason.summary import Summary
from tests.support.hostile import hostile_texts
from tests.support.reports import Parsed, made_report, made_summary

URL = "http://127.0.0.1:1"
ATTACKS = hostile_texts(URL)


def sample(name: str = "s", **fields: Any) -> Sample:
    values: dict[str, Any] = {"question": "q", "answer": "a", "benchmark": "made", **fields}
    return Sample(name, **values)


def png(folder: Path, name: str, colour: str = "red", size: tuple[int, int] = (640, 480)) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, colour).save(path)


def hash_of(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def everywhere(texts: Sequence[str]) -> Summary:
    """A summary in which `texts` stand wherever somebody else's words can stand."""
    samples, records = [], []
    for number, text in enumerate(texts):
        short = text[:500]
        asked = sample(
            text or "id",
            question=text,
            answer=text,
            steps=(text,),
            category=short or "c",
            complexity=short or "d",
            capabilities=(short or "e",),
            tags=(short or "t", f"tag{number}"),
            images=(ImageRef(text or "i", text or "r"),),
        )
        # A tag has a row if two samples bear it.
        samples += [asked, dataclasses.replace(asked, id=f"again {number}")]
        said = {
            "response": text, "rationale": text, "reason": text, "finish_reason": text,
            "flags": (text,), "judge_models": (text,), "steps": ({"step": 1, "credit": 0.5},),
        }  # fmt: skip
        records += [said, said]
    summary = made_summary(samples, records, tuple(text[:500] or "m" for text in texts[:2]))
    return dataclasses.replace(summary, notes=texts, verdict=texts[0][:500])


@pytest.mark.parametrize("start", range(0, len(ATTACKS), 10))
def test_whatever_is_written_makes_the_same_elements_and_comes_back_whole(
    tmp_path: Path, start: int
) -> None:
    texts = ATTACKS[start : start + 10]
    found = Parsed(made_report(tmp_path / "a", everywhere(texts)))
    plain = Parsed(
        made_report(tmp_path / "b", everywhere([f"word{n}" for n, _ in enumerate(texts)]))
    )
    assert [tag for tag, _ in found.tags] == [tag for tag, _ in plain.tags]
    assert list(found.scripts) == list(plain.scripts)
    for name, script in found.scripts.items():
        assert not name or not re.search(r"[<>&\u2028\u2029]", script)
    assert found.policy == plain.policy
    asked, results = found.json("asked")[::2], found.json("run-0")[::2]
    for text, question, result in zip(texts, asked, results, strict=True):
        (repeat,) = result["repeats"]
        assert question["id"] == (text or "id")
        for part in (question, repeat):
            for name in {"question", "answer", "response", "rationale"} & set(part):
                assert part[name].startswith(text[: data.LONGEST])
        assert not text or {"response", "rationale"} <= set(repeat)


def test_the_policy_allows_the_pages_own_script_and_style_and_no_address(tmp_path: Path) -> None:
    found = Parsed(made_report(tmp_path, made_summary([sample()], [{"response": "r"}])))
    assert found.policy.split("; ") == [
        "default-src 'none'",
        f"script-src {hash_of(found.scripts[''])}",
        f"style-src {hash_of(found.style)}",
        "img-src data: file:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    for tag, attributes in found.tags:
        assert tag not in {"iframe", "object", "embed", "link", "base", "form", "img"}
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        assert not attributes.get("src")
        assert (attributes.get("href") or "#").startswith("#")
    assert not re.search(r"</script|<!--|\binnerHTML\b|insertAdjacent|\beval\b", found.scripts[""])


def test_a_picture_is_embedded_small_once_and_linked_where_it_lies(tmp_path: Path) -> None:
    benchmark = tmp_path / "benchmark"
    png(benchmark, "a b#é.png", size=(900, 300))
    png(benchmark, "again.png", size=(900, 300))
    refs = [ImageRef(name, str(benchmark)) for name in ("a b#é.png", "again.png")]
    samples = [sample("s", images=(refs[0],)), sample("t", images=(refs[1], refs[0]))]
    found = Parsed(made_report(tmp_path / "out", made_summary(samples, [{}, {}])))
    (thumbnail,) = found.json("thumbnails")
    kind, _, content = thumbnail.partition(",")
    assert kind == "data:image/webp;base64"
    small = Image.open(io.BytesIO(base64.b64decode(content)))
    assert small.size == (pictures.SIDES[0][1], 107)
    first, second = found.json("asked")
    assert first["images"] == [
        {"path": "a b#é.png", "href": "../benchmark/a%20b%23%C3%A9.png", "thumb": 0}
    ]
    assert [image["thumb"] for image in second["images"]] == [0, 0]
    far = Parsed(made_report(tmp_path / "deep" / "er" / "out", made_summary(samples, [{}, {}])))
    (image,) = far.json("asked")[0]["images"]
    assert image["href"] == (benchmark / "a b#é.png").as_uri()


def test_pictures_that_cannot_be_shown_break_nothing_and_are_told(tmp_path: Path) -> None:
    benchmark = tmp_path / "benchmark"
    png(benchmark, "fine.png")
    (benchmark / "text.png").write_text("no picture")
    (benchmark / "half.png").write_bytes((benchmark / "fine.png").read_bytes()[:200])
    (benchmark / "empty.png").touch()
    png(tmp_path, "outside.png")
    names = [
        "text.png", "half.png", "empty.png", "absent.png", "../outside.png", "http://h/a.png",
        "nul\0.png", "/etc/passwd", "half \ud800.png", "fine.png",
    ]  # fmt: skip
    images = tuple(ImageRef(name, str(benchmark)) for name in names)
    unknown = ImageRef("fine.png", "")  # what a merged run knows of it
    summary = made_summary([sample(images=(*images, unknown))], [{}])
    found = Parsed(made_report(tmp_path / "out", summary))
    (asked,) = found.json("asked")
    *shown, merged = asked["images"]
    assert [image["path"] for image in shown] == names
    assert ["thumb" in image for image in shown] == [False] * 9 + [True]
    assert all(image["note"].startswith("not shown: ") for image in shown[:-1])
    linked = [image["path"] for image in shown if "href" in image]
    assert linked == ["text.png", "half.png", "empty.png", "fine.png"]
    assert merged == {
        "path": "fine.png",
        "note": "not shown: the benchmark's folder is not known here",
    }
    assert len(found.json("thumbnails")) == 1


def test_pictures_beyond_the_limit_are_left_out_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MOST", 2)
    for number, colour in enumerate(("red", "green", "blue")):
        png(tmp_path, f"{number}.png", colour)
    images = [ImageRef(f"{number}.png", str(tmp_path)) for number in range(3)]
    samples = [sample(f"s{n}", images=(image,)) for n, image in enumerate(images)]
    found = Parsed(made_report(tmp_path / "out", made_summary(samples, [{}] * 3)))
    assert len(found.json("thumbnails")) == 2
    last = found.json("asked")[-1]["images"][0]
    assert (last["href"], last["note"]) == (
        "../2.png",
        "left out: a report holds 2 thumbnails at most",
    )


def test_long_texts_are_cut_and_say_so(tmp_path: Path) -> None:
    summary = made_summary([sample()], [{"response": "x" * 100_000}])
    (result,) = Parsed(made_report(tmp_path, summary)).json("run-0")
    text = result["repeats"][0]["response"]
    assert text.startswith("x" * data.LONGEST + "…")
    assert text.endswith("[the first 20,000 of 100,000 characters]")


def test_every_status_says_what_happened_and_errors_what_to_do(tmp_path: Path) -> None:
    fields: list[dict[str, Any]] = [
        {"score": 0.7, "scores": (0.6, 0.8), "sd": 0.1, "steps": ({"step": 2, "credit": 0.25},)},
        {"status": "refused", "score": 0.0, "reason": "content filter"},
        {"status": "unjudged", "response": "an answer"},
        {"status": "model_error", "reason": "timed out"},
        {"status": "missing", "reason": "a crash"},
    ]
    samples = [sample(f"s{n}", steps=("one", "two")) for n, _ in enumerate(fields)]
    found = Parsed(made_report(tmp_path, made_summary(samples, fields)))
    results = found.json("run-0")
    repeats = [repeat for result in results for repeat in result["repeats"]]
    assert [result["score"] for result in results] == [0.7, 0.0, None, None, None]
    assert (repeats[0]["scores"], repeats[0]["sd"]) == ([0.6, 0.8], 0.1)
    assert repeats[0]["credits"] == {"2": 0.25}
    assert ["advice" in repeat for repeat in repeats] == [False] * 3 + [True] * 2
    assert "the next run asks again" in repeats[3]["advice"]
    assert "1 refused (counted as 0)" in found.text


def test_repeats_of_a_sample_stand_together(tmp_path: Path) -> None:
    samples = [sample("s"), sample("t")]
    summary = made_summary(samples, [{"score": 0.2}, {"score": 1.0}], repeats=3)
    results = Parsed(made_report(tmp_path, summary, repeats=3)).json("run-0")
    assert [[r.get("repeat") for r in one["repeats"]] for one in results] == [[0, 1, 2]] * 2
    assert [round(one["score"], 9) for one in results] == [0.2, 1.0]


def test_several_runs_share_their_samples_and_can_be_switched(tmp_path: Path) -> None:
    summary = made_summary([sample("s"), sample("t")], [{}, {}], ("m", "<n>"))
    found = Parsed(made_report(tmp_path, summary))
    assert len(found.json("asked")) == 2
    assert [one["sample"] for one in found.json("run-1")] == [0, 1]
    assert ("select", {"id": "run"}) in found.tags
    assert [a["data-run"] for tag, a in found.tags if tag == "article"] == ["0", "1"]
    assert "Runs side by side" in found.text
    alone = Parsed(made_report(tmp_path, made_summary([sample("s")], [{}])))
    assert ("select", {"id": "run"}) not in alone.tags


def test_a_report_can_be_made_without_the_benchmark(tmp_path: Path) -> None:
    summary = made_summary([sample("s", category="deductive")], [{"images": ({"path": "a.png"},)}])
    (run,) = summary.runs
    bare = dataclasses.replace(run.spec.benchmark, samples=())
    spec = dataclasses.replace(run.spec, benchmark=bare)
    summary = dataclasses.replace(summary, runs=[dataclasses.replace(run, spec=spec)])
    (asked,) = Parsed(made_report(tmp_path, summary)).json("asked")
    assert (asked["id"], asked["category"]) == ("s", "deductive")
    assert "the benchmark was not at hand" in asked["unknown"]
    assert asked["images"][0]["path"] == "a.png"


def test_an_empty_session_has_a_report_too(tmp_path: Path) -> None:
    summary = made_summary([], [])
    found = Parsed(made_report(tmp_path, summary))
    assert found.json("asked") == found.json("thumbnails") == []
    assert "no gate set" in found.text


@pytest.mark.parametrize(
    ("verdict", "exit", "badge", "word"),
    [
        ("no gate was set", 0, "badge none", "no gate set"),
        ("overall 50.0 is at least 40", 0, "badge pass", "PASS"),
        ("overall 50.0 is below 60", 1, "badge fail", "FAIL"),
    ],
)
def test_only_a_gate_is_passed_or_failed(
    tmp_path: Path, verdict: str, exit: int, badge: str, word: str
) -> None:
    summary = dataclasses.replace(made_summary([], []), verdict=verdict, exit=exit)
    report = made_report(tmp_path, summary)
    badges = [a["class"] for t, a in Parsed(report).tags if t == "span" and "class" in a]
    assert badge in badges
    assert f">{word}</span>" in report.read_text(encoding="utf-8")


def test_bars_show_score_interval_and_limit(tmp_path: Path) -> None:
    samples = [sample(f"s{n}", category="deductive", complexity="high") for n in range(4)]
    scores = [{"score": score} for score in (0.0, 0.5, 0.5, 1.0)]
    found = Parsed(made_report(tmp_path, made_summary(samples, scores)))
    widths = [a["width"] for tag, a in found.tags if tag == "rect" and a["class"] == "fill"]
    assert widths and set(widths) == {"50.0"}
    heights = [a["height"] for tag, a in found.tags if "fill t" in (a.get("class") or "")]
    assert heights == ["42.0", *["0.0"] * 4, "84.0", *["0.0"] * 4, "42.0"]
