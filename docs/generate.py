"""Writes what is made from tables: python docs/generate.py.

options.md and models.md whole; of tiny.md and published.md the figures.
"""

from __future__ import annotations

import json
from pathlib import Path

from pytest_mmreason.models.presets import PAPERS, Preset, Usage, cited_in_full, load
from pytest_mmreason.options import OPTIONS
from pytest_mmreason.published import Row, recomputed
from pytest_mmreason.published import load as load_published

HEAD = """# Options

Every option has an ini twin of the same name with `_`, in `pytest.ini`, `[tool.pytest.ini_options]` and
pytest 9's `[tool.pytest]`. The command line wins, and replaces a list whole. A single string is accepted
for a list. Paths on the command line are relative to the working folder, paths in an ini file to that file.

This page is made from the options' own table by `python docs/generate.py`.

| option | ini | meaning |
|---|---|---|
"""
TAIL = """
`--mm-list models|judges|benchmarks` prints what there is and exits. The ini option `mm_suite` says when the
bundled suite joins a session: `auto` (the default: unless the command line names a path without naming
`--mm-benchmark` too, or a test of your own asks for `mm_evaluate`), `on` or `off`. `--mm-model=`,
`--mm-compare=` and `--mm-baseline=` switch off what an ini file names.
"""


def page() -> str:
    """The text of options.md."""
    rows = []
    for option in OPTIONS:
        metavar = option.metavar.replace("|", "\\|")
        flag = f"{option.flag} {metavar}".strip()
        rows.append(f"| `{flag}` | `{option.dest}` | {option.help} |\n")
    return HEAD + "".join(rows) + TAIL


MODELS_HEAD = """# Models by name

A preset is a model under a name of its own: `--mm-model=NAME` runs its checkpoint, with the prompt, the
system prompt and the generation parameters that the benchmark's paper gives for it. There is one for every
model of InfiMM-Eval's Tables 1, 4 and 5 and of MM-Vet's Tables 2 to 8, and for common models of today.

- The benchmark's protocol chooses the prompt: GPT-4V is asked one way on InfiMM-Eval and another on MM-Vet.
  Under a protocol whose paper gives none, the question is asked as it stands.
- `--mm-prompt=cot` puts its sentence after the whole prompt. `--mm-param KEY=VALUE` replaces the preset's
  parameter of that name; the others stay.
- A test that calls `mm_model(prompt, images)` by hand has the parameters, and its own prompt as it is.

How a preset runs depends on its backend:

| backend | `--mm-model=NAME` |
|---|---|
| hf | loads the checkpoint here, with transformers (`pip install 'pytest-mmreason[hf]'`) |
| openai | hosted by its makers; those of the papers have been shut down |
| server | open weights that transformers 5 does not load: to be served by you |
| python | runs with code of its own only |

The last three want an endpoint or an adapter, and end with exit 4 and a message where they have neither:

- `--mm-model=NAME --mm-base-url=URL` asks an OpenAI-compatible endpoint for the checkpoint, under the
  checkpoint's name (or the preset's, where there is no checkpoint). A preset of `hf` runs here whatever
  `--mm-base-url` says.
- `--mm-model=NAME:SPEC` asks any other model with the prompts and parameters of NAME, of every backend:
  `gpt-4v:openai:MODEL`, `llava:openai:MODEL`, `llava:hf:./checkpoint-1200`, `otter:python:my_otter:answer`.

A preset that reads no images is a language model alone: `--mm-images=captions=FILE` asks it about
captions of the images, `--mm-images=none` the question only.

This page is made from `pytest_mmreason/models/presets.toml` by `python docs/generate.py`.

| `--mm-model` | model | papers | backend | checkpoint | to be run by name alone |
|---|---|---|---|---|---|
"""
PROMPTS_HEAD = """
## Prompts and parameters

What is sent, for the presets whose paper says it. `⏎` is a line break, `{image}` is an image, `{images}` all of them, one after
the other. The marks of a model's own chat format are not sent: its processor, or its server's chat template,
puts them around the question; for an adapter of your own they stand under *turn*.
"""
PLACES = {"before": "before the question", "after": "after it", "system": "in the system prompt"}


def models_page() -> str:
    """The text of models.md."""
    presets = load().values()
    rows = "".join(_row(preset) for preset in presets)
    asked = [(preset, protocol, u) for preset in presets for protocol, u in preset.usages.items()]
    return MODELS_HEAD + rows + PROMPTS_HEAD + "".join(_prompt(*entry) for entry in asked)


def _row(preset: Preset) -> str:
    names = ", ".join(f"`{name}`" for name in (preset.name, *preset.aliases))
    checkpoint = f"`{preset.checkpoint}`" if preset.checkpoint else "–"
    way = preset.needs[:1].upper() + preset.needs[1:] if preset.needs else "yes"
    images = [
        "" if preset.several_images or not preset.reads_images else "one image at a time",
        "" if preset.reads_images else "reads no images",
        preset.note,
    ]
    title = "; ".join(filter(None, [preset.title, *images]))
    papers = cited_in_full(preset.papers) or "–"
    return f"| {names} | {title} | {papers} | {preset.backend} | {checkpoint} | {way} |\n"


def _prompt(preset: Preset, protocol: str, usage: Usage) -> str:
    template = usage.template
    facts = [
        ("system", template.system),
        ("user", template.user),
        ("image", template.image if template.image != "{image}" else ""),
        ("user, where no image is sent", template.bare or ""),
        ("turn", preset.turn if preset.turn != "{images}{text}" else ""),
    ]
    params = ", ".join(f"{key} {value}" for key, value in usage.params.items())
    lines = [f"- {name}: `{_line(text)}`\n" for name, text in facts if text]
    lines.append(f"- images: {PLACES[template.place]}\n")
    lines += [f"- parameters: {params}\n"] if params else []
    return f"\n**{preset.name}** on {PAPERS[protocol]} ({usage.source})\n\n{''.join(lines)}"


def _line(text: str) -> str:
    return text.replace("\n", "⏎")


def tiny_page() -> str:
    """The text of tiny.md, with the table of what tiny/measure.py measured."""
    page = (Path(__file__).parent / "tiny.md").read_text(encoding="utf-8")
    text = (Path(__file__).parents[1] / "tiny" / "measured.json").read_text(encoding="utf-8")
    measured = json.loads(text)
    accuracy: dict[str, dict[str, float]] = measured["accuracy"]
    kinds = list(next(iter(accuracy.values())))
    head = f"| strategy | {' | '.join(kinds)} |\n|---|{'---|' * len(kinds)}\n"
    rows = [
        f"| {name} | {' | '.join(f'{row[k]:.2f}' if k in row else '' for k in kinds)} |\n"
        for name, row in accuracy.items()
    ]
    table = f"{head}{''.join(rows)}\n{measured['puzzles of each kind']} puzzles of each kind.\n"
    return _filled(page, MEASURED, table)


MEASURED, END = "<!-- measured -->", "<!-- end -->"


def _filled(page: str, start: str, content: str) -> str:
    """`page` with `content` between the marks `start` and END."""
    before, rest = page.split(f"{start}\n")
    after = rest.partition(f"{END}\n")[2]
    return f"{before}{start}\n{content}{END}\n{after}"


FAULTS, REVISIONS = "<!-- faults -->", "<!-- revisions -->"
NOW, BEFORE, PLAIN = "Eq. 1, 279 samples", "Eq. 1, 283 samples", "plain mean"


def published_page() -> str:
    """The text of published.md, with what its data do not add up to."""
    page = (Path(__file__).parent / "published.md").read_text(encoding="utf-8")
    results = load_published("infimm-eval")

    def made(row: Row, weights: str, basis: str) -> float | None:
        return recomputed(row.scores, results.weights[weights]).get(basis)

    def shown(score: float | None) -> str:
        return "" if score is None else f"{score:.2f}"

    ways = [(NOW, "category"), (BEFORE, "category"), (PLAIN, "category")]
    ways += [(NOW, "complexity"), (BEFORE, "complexity")]
    faults = _header(["row", "table", "printed", *map(_way, ways)])
    for row in results.rows:
        if row.fault:
            where = row.sources[0].removeprefix("Table ")
            cells = [shown(made(row, *way)) for way in ways]
            faults += _line_of([row.label, where, shown(row.scores["overall"]), *cells])
    said = dict.fromkeys(row.fault for row in results.rows if row.fault)
    notes = [
        ("; ".join(row.label for row in results.rows if row.fault == fault), fault)
        for fault in said
    ]
    notes += [(where[0].upper() + where[1:], text) for where, text in results.remarks]
    faults += "\n" + "".join(f"- {what}: {text}.\n" for what, text in notes)
    ways = [way for way in ways if way[0] != PLAIN]
    revisions = _header(["row", "overall", *map(_way, ways), "fits"])
    for row in results.of("Table 1"):
        overall = row.scores["overall"]
        errors = [(made(row, *way) or 0.0) - overall for way in ways]
        fits = f"{row.revision} samples" + (", by category only" if row.fault else "")
        revisions += _line_of([row.label, shown(overall), *(f"{e:+.4f}" for e in errors), fits])
    return _filled(_filled(page, FAULTS, faults), REVISIONS, revisions)


def _way(way: tuple[str, str]) -> str:
    return f"{way[0].removeprefix('Eq. 1, ')}, by {way[1]}"


def _header(cells: list[str]) -> str:
    return f"{_line_of(cells)}|{'---|' * len(cells)}\n"


def _line_of(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    folder = Path(__file__).parent
    (folder / "options.md").write_text(page(), encoding="utf-8")
    (folder / "models.md").write_text(models_page(), encoding="utf-8")
    (folder / "published.md").write_text(published_page(), encoding="utf-8")
    (folder / "tiny.md").write_text(tiny_page(), encoding="utf-8")
