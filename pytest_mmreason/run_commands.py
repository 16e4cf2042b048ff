"""The commands about finished runs: ``merge``, ``report``, ``compare`` and ``power``."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mmreason.errors import UsageError
from pytest_mmreason.options import OPTIONS, Option, number, whole

if TYPE_CHECKING:
    from pytest_mmreason.merge import Gates
    from pytest_mmreason.parts import Part
    from pytest_mmreason.power import RowSpread

GATES = (
    "threshold", "max_errors", "on_error", "baseline", "max_drop", "allow_different",
    "show", "compare",
)  # fmt: skip
"""The options that a merge takes, as pytest does."""

COMPARING = ("max_drop", "allow_different")


def options_by_name() -> Mapping[str, Option]:
    """pytest's options by their names without ``mm_``."""
    return {option.name: option for option in OPTIONS}


def parsed(option: Option, given: str | list[str]) -> Any:
    """What `given` means. Raises UsageError naming the option and what it takes."""
    try:
        if isinstance(given, list):
            return tuple(option.parse(text) for text in given)
        return Path(given).expanduser() if option.is_path else option.parse(given)
    except ValueError as error:
        raise UsageError(f"{option.flag} {error}") from None


def _add_options(
    parser: argparse.ArgumentParser, names: Sequence[str], how: str = "", without: str = ""
) -> None:
    for name in names:
        option = options_by_name()[name]
        more = how if name != "output" else ""
        parser.add_argument(
            option.flag,
            # `compare` is about little else: there they need no prefix.
            *([f"--{name.replace('_', '-')}"] if name in COMPARING else []),
            metavar=option.metavar,
            action="append" if option.repeat else "store",
            help=(option.help.removeprefix(without).rstrip(".") + more).replace("%", "%%"),
            dest=option.dest,
        )


def _gates(chosen: argparse.Namespace, names: Sequence[str]) -> Gates:
    from pytest_mmreason.merge import Gates

    options = options_by_name()
    values: dict[str, Any] = {
        name: parsed(options[name], given)
        for name in names
        if (given := getattr(chosen, f"mm_{name}")) is not None
    }
    if "allow_different" in values:
        values["allow_different"] = sum(values["allow_different"], ())
    if getattr(chosen, "mm_baseline", None) == "":
        values["baseline"] = False
    return Gates(**values)


def add_merge(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of ``merge``."""
    parser.add_argument(
        "shards", metavar="DIR", nargs="+", type=Path, help="--mm-output of a shard"
    )
    _add_options(parser, ("output", *GATES), "; the shards' own if not given")
    parser.set_defaults(run=_merge)


def _merge(chosen: argparse.Namespace) -> int:
    from pytest_mmreason.parts import read_part
    from pytest_mmreason.reports.files import prepare_output

    gates = _gates(chosen, ("output", *GATES))
    if gates.output is not None:
        prepare_output(gates.output)
    return _make([read_part(folder) for folder in chosen.shards], gates)


def add_report(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of ``report``."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="--mm-output of a run")
    parser.add_argument(
        "--mm-output", metavar="OUT", help="where the reports go; into DIR if not given"
    )
    _add_options(parser, GATES, "; the run's own if not given")
    parser.set_defaults(run=_report)


def _report(chosen: argparse.Namespace) -> int:
    from dataclasses import replace

    from pytest_mmreason.parts import RUN_FILE, read_part
    from pytest_mmreason.reports.files import prepare_output

    output = Path(chosen.mm_output or chosen.folder).expanduser()
    part = read_part(chosen.folder, RUN_FILE)
    prepare_output(output)
    return _make([part], replace(_gates(chosen, GATES), output=output), is_whole=True)


def _make(parts: Sequence[Part], gates: Gates, is_whole: bool = False) -> int:
    """Print and write what the run of `parts` comes to. Returns its exit status."""
    from _pytest._io import TerminalWriter

    from pytest_mmreason.merge import Merged
    from pytest_mmreason.parts import RUN_FILE, write_part
    from pytest_mmreason.reports.files import write_reports
    from pytest_mmreason.reports.printing import Printer

    merged = Merged(parts, gates, is_whole)
    output = merged.settings.output
    with closing(merged):
        try:
            if output is not None and is_whole:
                # As it is: gates that are tried out are not those that the run was given.
                with suppress(shutil.SameFileError):
                    shutil.copyfile(parts[0].folder / RUN_FILE, output / RUN_FILE)
            elif output is not None:
                write_part(output, merged.plan, merged.outcome, merged.summary)
            write_reports(merged.summary, merged.ledger, merged.settings)
        except OSError as error:
            raise UsageError(f"reports could not be written: {error}") from None
        # Last: whoever reads it may leave before the end.
        Printer(TerminalWriter(sys.stdout)).summary(
            merged.summary, merged.ledger, merged.settings, {}
        )
    return merged.summary.exit


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of ``compare``."""
    for name, text in (("before", "the earlier run"), ("after", "the run that is looked at")):
        parser.add_argument(
            name, metavar=name.upper(), type=Path, help=f"{text}: --mm-output or results.jsonl"
        )
    _add_options(parser, COMPARING, without="With --mm-baseline: ")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.set_defaults(run=_compare)


def _compare(chosen: argparse.Namespace) -> int:
    import json
    from dataclasses import replace

    from pytest_mmreason import baseline
    from pytest_mmreason.compare import drop_gates
    from pytest_mmreason.gates import Outcome, decide

    given = _gates(chosen, COMPARING)
    earlier = baseline.read(chosen.before, given.allow_different or (), option="")
    later = baseline.read(chosen.after, option="")
    content, gates, shown = [], [], []
    for run in later.runs:
        opposite, found = earlier.compare(run.facts, run.records)
        made = drop_gates(found, given.max_drop) if given.max_drop is not None else []
        several = len(later.runs) > 1
        gates += [
            replace(g, reason=f"{run.facts.named()}: {g.reason}") if several and g.reason else g
            for g in made
        ]
        before, after = opposite.facts.named(), run.facts.named()
        if before == after:
            before, after = f"{before} in {chosen.before}", f"{after} in {chosen.after}"
        shown.append((before, after, found, made))
        content.append(
            {
                "benchmark": run.facts.benchmark,
                "model": run.facts.model,
                "prompt": run.facts.prompt,
                "gates": [gate.to_json() for gate in made],
                "comparison": {"baseline": opposite.facts.to_json()} | found.to_json(),
            }
        )
    status, verdict = decide(Outcome(0, 0, 0), gates)
    if chosen.json:
        print(json.dumps({"schema": 1, "runs": content, "exit": status}, indent=2))
        return status
    from _pytest._io import TerminalWriter

    from pytest_mmreason.reports.printing import Printer

    printer = Printer(TerminalWriter(sys.stdout))
    for before, after, found, made in shown:
        printer.comparison(found, made, before, after)
    printer.verdict(status, verdict)
    return status


TYPICAL_ROWS = 6
"""Rows that a gate looks at on InfiMM-Eval: overall, three categories, two complexities."""


def add_power(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of ``power``."""
    parser.add_argument(
        "--run",
        metavar="DIR",
        action="append",
        dest="of",
        default=[],
        type=Path,
        help="an earlier run, whose spread is taken; given twice, that of their differences",
    )
    parser.add_argument(
        "--sd", metavar="SD", help="standard deviation of a sample's difference, in [0, 1]"
    )
    parser.add_argument(
        "--rows", metavar="K", help="rows that the gates look at (default: the run's, or 6)"
    )
    parser.set_defaults(run=_power)


def _power(chosen: argparse.Namespace) -> int:
    from _pytest._io import TerminalWriter

    from pytest_mmreason.power import TYPICAL_SD
    from pytest_mmreason.reports import powers
    from pytest_mmreason.reports.printing import Printer

    values: dict[str, Any] = {"sd": TYPICAL_SD, "rows": TYPICAL_ROWS}
    for name, parse in (("sd", number(0, 1, above=True)), ("rows", whole(1))):
        if (text := getattr(chosen, name)) is not None:
            try:
                values[name] = parse(text)
            except ValueError as error:
                raise UsageError(f"--{name} {error}") from None
    found, source = _spreads(chosen.of)
    if found:
        if chosen.sd is not None:
            raise UsageError("--sd stands in for --run: give one of them")
        values["sd"] = found[0].sd
        values["rows"] = len(found) if chosen.rows is None else values["rows"]
    elif chosen.sd is not None:
        source = "as --sd says"
    printer = Printer(TerminalWriter(sys.stdout))
    printer.folded(f" {powers.headline(values['sd'], source)}", indent=3)
    tables = [powers.needed_table(**values), powers.visible_table(**values)]
    if found:
        tables.insert(0, powers.rows_table(found, values["rows"]))
    for table in tables:
        printer.line("")
        printer.table(table)
    return 0


def _spreads(folders: Sequence[Path]) -> tuple[list[RowSpread], str]:
    """The rows of the runs in `folders`, the overall one first, and where their spread is from."""
    from pytest_mmreason import baseline
    from pytest_mmreason.power import TYPICAL_CORRELATION, row_spreads

    if not folders:
        return [], "typical of two checkpoints of one model; --run=DIR takes a run's own"
    if len(folders) > 2:
        raise UsageError("--run is given once, or twice for the differences of two runs")
    first, *others = [baseline.read(folder, option="--run") for folder in folders]
    run = first.runs[0]
    name = run.facts.named()
    if others:
        other = others[0].opposite(run.facts)
        rows = row_spreads(run.records, other.records)
        source = f"that of {name} and {other.facts.named()}"
    else:
        rows = row_spreads(run.records)
        source = f"from the scores of {name}, if the other run's correlate by {TYPICAL_CORRELATION}"
    if not rows or not rows[0].sd:
        raise UsageError(f"--run {folders[0]}: {name} holds no scores that differ, so no spread")
    return rows, source
