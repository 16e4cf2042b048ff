"""Make one page of all samples, to leaf through.

    python benchmarks/mini/contact_sheet.py [OUT.html]

writes OUT.html, or build/mini.html of the checkout. The page needs nothing beside itself.
"""

from __future__ import annotations

import base64
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from string import Template
from typing import Any

MINI = Path(__file__).parent
Sample = Mapping[str, Any]

CAPABILITIES = {
    "rec": "recognition",
    "ocr": "reading",
    "know": "knowledge",
    "gen": "explaining",
    "spat": "space",
    "math": "mathematics",
}

PAGE = Template("""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>mini: $number samples</title>
<style>
:root { color-scheme: light dark; --page: #f3f1ec; --card: #fff; --ink: #26262c; --soft: #6d6d76;
  --line: #e2dfd7; --deductive: #2f66c8; --abductive: #a1501c; --analogical: #2c7a4b; }
@media (prefers-color-scheme: dark) { :root { --page: #1b1b1f; --card: #27272d; --ink: #ececf0;
  --soft: #a6a6b0; --line: #3a3a42; --deductive: #7ea6f4; --abductive: #e79a63;
  --analogical: #6cc291; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
header { padding: 28px 32px 8px; }
h1 { margin: 0; font-size: 30px; letter-spacing: -0.02em; }
header p { margin: 4px 0 0; color: var(--soft); max-width: 110ch; }
nav { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 8px 14px;
  align-items: center; padding: 12px 32px; background: var(--page);
  border-bottom: 1px solid var(--line); }
nav label { display: inline-flex; gap: 6px; align-items: center; color: var(--soft); }
select { font: inherit; padding: 3px 6px; border: 1px solid var(--line); border-radius: 7px;
  background: var(--card); color: var(--ink); }
output { margin-left: auto; color: var(--soft); font-variant-numeric: tabular-nums; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(390px, 100%), 1fr)); gap: 20px;
  grid-auto-flow: dense; padding: 20px 32px 60px; }
article { display: flex; flex-direction: column; overflow: hidden; background: var(--card);
  border: 1px solid var(--line); border-top: 4px solid var(--tone); border-radius: 12px; }
article.deductive { --tone: var(--deductive); }
article.abductive { --tone: var(--abductive); }
article.analogical { --tone: var(--analogical); }
article.wide { grid-column: span 2; }
article.full { grid-column: 1 / -1; }
@media (max-width: 870px) { article.wide { grid-column: auto; } }
article[hidden] { display: none; }
figure { display: flex; flex-wrap: wrap; gap: 6px; justify-content: center; margin: 0; padding: 12px;
  border-bottom: 1px solid var(--line); cursor: zoom-in; }
img { flex: 0 1 calc(50% - 3px); min-width: 0; max-width: 100%; height: auto; object-fit: contain;
  border-radius: 6px; }
img:only-child { flex-basis: 360px; }
.three img { flex-basis: calc(33.3% - 4px); }
.full figure { cursor: zoom-out; }
.full img { flex: 0 1 auto; }
section { display: flex; flex: 1; flex-direction: column; gap: 8px; padding: 12px 16px 14px; }
section > * { margin: 0; }
.kinds { display: flex; flex-wrap: wrap; gap: 6px; font-size: 12.5px; color: var(--soft); }
.kinds span { padding: 0 8px; border: 1px solid var(--line); border-radius: 99px; }
.kinds .category { border-color: transparent; padding: 0; color: var(--tone); font-weight: 650; }
.question { font-size: 16.5px; font-weight: 600; }
.answer b { color: var(--tone); }
.answer i { color: var(--soft); font-style: normal; }
ol { padding-left: 22px; color: var(--soft); font-size: 14px; }
code { margin-top: auto; color: var(--soft); font-size: 12px; }
body:has(#hide:checked) :is(.answer, ol) { visibility: hidden; }
</style>
<header>
<h1>mini</h1>
<p>$facts</p>
<p>$more</p>
</header>
<nav>
<label>Category $categories</label>
<label>Kind of scene $kinds</label>
<label>Complexity $complexities</label>
<label>Capability $capabilities</label>
<label><input type="checkbox" id="hide"> hide answers</label>
<output></output>
</nav>
<main>
$cards
</main>
<script>
const cards = [...document.querySelectorAll("article")];
const choices = [...document.querySelectorAll("select")];
function choose() {
  const wanted = choices.map((choice) => choice.value).filter(Boolean);
  for (const card of cards)
    card.hidden = !wanted.every((word) => card.dataset.words.split(" ").includes(word));
  const shown = cards.filter((card) => !card.hidden).length;
  document.querySelector("output").value = shown + " of " + cards.length;
}
for (const choice of choices) choice.onchange = choose;
for (const figure of document.querySelectorAll("figure"))
  figure.onclick = () => figure.parentElement.classList.toggle("full");
choose();
</script>
</html>
""")


def page(samples: list[Sample]) -> str:
    """The whole page, pictures and all."""
    number = len(samples)
    pictures = sum(len(sample["images"]) for sample in samples)
    by_category = Counter(sample["category"] for sample in samples)
    by_complexity = Counter(sample["complexity"] for sample in samples)
    by_kind = Counter(tag for sample in samples for tag in sample["tags"])
    by_capability = Counter(name for sample in samples for name in sample["capabilities"])
    several = sum(len(sample["images"]) > 1 for sample in samples)
    surprising = sum(sample["counter_intuitive"] for sample in samples)
    facts = f"{number} samples with {pictures} pictures of {len(by_kind)} kinds of scene: "
    facts += ", ".join(f"{n} {name}" for name, n in (by_category + by_complexity).items()) + "."
    more = f"In {several} several pictures are needed, in {surprising} the obvious answer is wrong."
    return PAGE.substitute(
        number=number,
        facts=facts,
        more=f"{more} A click on a picture enlarges it.",
        categories=_choice(by_category.items()),
        kinds=_choice(sorted(by_kind.items())),
        complexities=_choice(by_complexity.items()),
        capabilities=_choice(by_capability.items()),
        cards="\n".join(map(_card, samples)),
    )


def _choice(values: Iterable[tuple[str, int]]) -> str:
    options = "".join(
        f'<option value="{escape(value)}">{escape(_said(value))} ({number})</option>'
        for value, number in values
    )
    return f'<select><option value="">all</option>{options}</select>'


def _said(word: str) -> str:
    return CAPABILITIES.get(word, word).replace("_", " ")


def _card(sample: Sample) -> str:
    words = [sample["category"], sample["complexity"], *sample["tags"], *sample["capabilities"]]
    number = len(sample["images"])
    look = " wide" if number > 1 else ""
    pictures = "".join(
        f'<img src="{_embedded(MINI / image)}" alt="">' for image in sample["images"]
    )
    marks = [*sample["tags"], sample["complexity"]]
    marks += ["the obvious is wrong"] * sample["counter_intuitive"]
    marks += sample["capabilities"]
    answers = [
        " <i>and</i> ".join(f"<b>{escape(part.strip())}</b>" for part in one.split("<AND>"))
        for one in sample["answer"].split("<OR>")
    ]
    return f"""<article class="{escape(sample["category"])}{look}" data-words="{escape(" ".join(words))}">
<figure{' class="three"' if number > 2 else ""}>{pictures}</figure>
<section>
<div class="kinds"><span class="category">{escape(sample["category"])}</span>{"".join(f"<span>{escape(_said(mark))}</span>" for mark in marks)}</div>
<p class="question">{escape(sample["question"])}</p>
<p class="answer">{" <i>or</i> ".join(answers)}</p>
<ol>{"".join(f"<li>{escape(step)}</li>" for step in sample["steps"])}</ol>
<code>{escape(sample["id"])}</code>
</section>
</article>"""


def _embedded(picture: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(picture.read_bytes()).decode("ascii")


def main(out: Path) -> None:
    lines = (MINI / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page([json.loads(line) for line in lines]), encoding="utf-8", newline="\n")
    print(f"{len(lines)} samples in {out}")


if __name__ == "__main__":
    default = MINI.parents[1] / "build" / "mini.html"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
