"""What a test report carries to the process that prints: an item's record, and how it is shown.

Workers of xdist need no more than this of the reports, and import no more.
"""

from __future__ import annotations

import pytest

from pytest_mmreason.record import Record


def attach(item: pytest.Item, report: pytest.TestReport, record: Record) -> None:
    """Put the record on the report of its item's call, with the letter that shows it."""
    report.mmreason = record.to_json()  # type: ignore[attr-defined]
    report.mmreason_shown = list(_shown(record))  # type: ignore[attr-defined]
    if set("PA") & set(getattr(item.config.option, "reportchars", "")):
        import shutil

        from pytest_mmreason.collection import sample_of
        from pytest_mmreason.reports.explaining import explanation, folded, title

        sample = sample_of(item)
        if sample is not None:
            # A worker has no terminal, but the variables of whoever has one.
            parts, width = explanation(record, sample), shutil.get_terminal_size().columns
            lines = [f" {title(record)}", *folded(parts, width - 1, indent=3)]
            report.sections.append(("mmreason", "\n".join(lines)))


def _shown(record: Record) -> tuple[str, str]:
    if record.is_error:
        return "E", record.status.upper()
    if record.status != "scored" or record.score is None:
        return record.status[0].upper(), record.status.upper()
    letter = "." if record.score >= 1.0 else str(int(record.score * 10 + 1e-9))
    return letter, f"SCORED {record.score:.2f}"
