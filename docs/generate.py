"""Writes what is made from tables, options.md, models.md and figures of tiny.md: python docs/generate.py."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_mmreason.models.presets import PAPERS, Preset, Usage, cited_in_full, load
from pytest_mmreason.options import OPTIONS

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
`--mm-benchmark` too, or a test of your own asks for `mm_evaluate`), `on` or `off`. `--mm-model=` switches off
the model that an ini file names.
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
    before, rest = page.split(f"{MEASURED}\n")
    after = rest.partition(f"{MEASURED_END}\n")[2]
    return f"{before}{MEASURED}\n{table}{MEASURED_END}\n{after}"


MEASURED, MEASURED_END = "<!-- measured -->", "<!-- end -->"

if __name__ == "__main__":
    folder = Path(__file__).parent
    (folder / "options.md").write_text(page(), encoding="utf-8")
    (folder / "models.md").write_text(models_page(), encoding="utf-8")
    (folder / "tiny.md").write_text(tiny_page(), encoding="utf-8")
