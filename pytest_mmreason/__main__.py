"""``python -m pytest_mmreason``: what is done outside a pytest run."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_mmreason.data_commands import add_fetch, add_validate
from pytest_mmreason.errors import BenchmarkError, UsageError
from pytest_mmreason.run_commands import (
    add_compare,
    add_merge,
    add_power,
    add_report,
    options_by_name,
    parsed,
)

DAY_S = 86_400.0
CAPTION = (
    "base_url", "api_key_env", "param", "concurrency", "timeout", "retries",
    "limit", "sample", "subset", "seed", "cache_dir", "cache",
    "device", "dtype", "batch_size", "trust_remote_code",
)  # fmt: skip
"""The options by which captions are asked for, as pytest takes them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit status: 4 for what the user can mend, 1 if nobody reads on."""
    try:
        try:
            return _main(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # What is left goes nowhere, or Python would complain of it when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _main(arguments: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(prog="python -m pytest_mmreason", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_merge(commands.add_parser("merge", help="make one run of the shards of --mm-shard"))
    add_report(commands.add_parser("report", help="make the reports of a run again"))
    add_compare(commands.add_parser("compare", help="compare two runs, sample by sample"))
    add_power(commands.add_parser("power", help="say how many samples a gate needs"))
    _add_caption(commands.add_parser("caption", help="let a model describe a benchmark's images"))
    _add_cache(commands.add_parser("cache", help="say what the cache holds, or tidy it"))
    add_validate(commands.add_parser("validate", help="count and check what a benchmark holds"))
    add_fetch(commands.add_parser("fetch", help="download an official benchmark from the hub"))
    chosen = parser.parse_args(arguments)
    try:
        status: int = chosen.run(chosen)
    except (UsageError, BenchmarkError) as error:
        from pytest_mmreason.reports.text import inert

        # The names that it tells may come from anybody's files.
        print(f"ERROR: {inert(str(error), keep_newlines=True)}", file=sys.stderr)
        return 4
    return status


def _add_caption(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "benchmark", metavar="BENCHMARK", help="whose images, named as for --mm-benchmark"
    )
    parser.add_argument("--mm-model", metavar="SPEC", required=True, help="Who describes them.")
    parser.add_argument(
        "--mm-output", metavar="FILE", type=Path, required=True, help="Where the captions go."
    )
    parser.add_argument("--prompt", metavar="TEXT", help="What is asked of each image.")
    for name in CAPTION:
        option = options_by_name()[name]
        how: dict[str, Any] = {"action": "append" if option.repeat else "store"}
        how["metavar"] = option.metavar
        if option.is_switch:
            how = {"action": "store_const", "const": "on"}
        parser.add_argument(option.flag, help=option.help.replace("%", "%%"), **how)
    parser.set_defaults(run=_caption)


def _caption(chosen: argparse.Namespace) -> int:
    from pytest_mmreason.captioning import QUESTION, write_captions
    from pytest_mmreason.reports.text import inert
    from pytest_mmreason.settings import Settings

    given = {
        name: parsed(options_by_name()[name], value)
        for name in CAPTION
        if (value := getattr(chosen, f"mm_{name}")) is not None
    }
    given["param"] = dict(given.get("param", ()))
    settings = Settings(
        model=(chosen.mm_model,), benchmark=(chosen.benchmark,), directory=Path.cwd(), **given
    )
    output = chosen.mm_output.expanduser()
    question = QUESTION if chosen.prompt is None else chosen.prompt
    try:
        done = write_captions(
            settings, output, question, lambda line: print(line, file=sys.stderr, flush=True)
        )
    except KeyboardInterrupt:
        kept = "; what was answered is in the cache" if settings.cache != "off" else ""
        print(f"interrupted: nothing was written{kept}", file=sys.stderr)
        return 2
    for why in dict.fromkeys(done.failed.values()):
        images = ", ".join(inert(image) for image, reason in done.failed.items() if reason == why)
        print(f"no caption of {images}: {inert(why)}", file=sys.stderr)
    for note in done.notes:
        print(f"note: {inert(note)}", file=sys.stderr)
    if done.cut:
        print(
            f"cut short, raise --mm-param max_tokens=N: {', '.join(map(inert, done.cut))}",
            file=sys.stderr,
        )
    written = done.images - len(done.failed)
    print(
        f"{written} of {done.images} images captioned · {done.calls} calls, {done.cached} from the "
        f"cache · {output if written else 'nothing was written'}"
    )
    return 1 if done.failed else 0


def _add_cache(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mm-cache-dir", metavar="DIR", type=Path, default=Path(".mmreason/cache"))
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--stats", action="store_true", help="count what is there (the default)")
    what.add_argument("--prune", action="store_true", help="remove damaged entries and compact it")
    parser.add_argument(
        "--older-than",
        metavar="DAYS",
        type=float,
        help="with --prune: remove also what was written more than DAYS ago",
    )
    parser.set_defaults(run=_cache)


def _cache(chosen: argparse.Namespace) -> int:
    from pytest_mmreason.upkeep import inspect, prune

    folder: Path = chosen.mm_cache_dir
    if chosen.older_than is not None and not chosen.prune:
        raise UsageError("--older-than goes with --prune")
    if chosen.prune:
        days = chosen.older_than
        if days is not None and not days >= 0:
            raise UsageError(f"--older-than is {days:g}; a number of days from 0 is needed")
        removed = prune(folder, None if days is None else time.time() - days * DAY_S)
        print(f"{removed:,} {'entry' if removed == 1 else 'entries'} removed")
    found = inspect(folder)
    print(f"cache      {folder}")
    print(f"responses  {found.responses:,}")
    print(f"verdicts   {found.verdicts:,}")
    if found.damaged:
        print(f"damaged    {found.damaged:,} (--prune removes them)")
    if found.aside:
        print(f"aside      {', '.join(path.name for path in found.aside)} (--prune removes them)")
    print(f"size       {found.size / 1e6:,.1f} MB")
    if found.oldest is not None and found.newest is not None:
        print(f"written    {_day(found.oldest)} to {_day(found.newest)}")
    return 0


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


if __name__ == "__main__":
    sys.exit(main())
