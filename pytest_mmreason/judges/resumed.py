"""A judge that takes recorded verdicts first, and asks only for those that are absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_mmreason.judges.base import Ask, Judge, JudgeTask, provenance
from pytest_mmreason.judges.replay import ReplayJudge
from pytest_mmreason.verdict import Verdict


class ResumedJudge:
    """Goes on where recorded grades end: other samples and further judge runs are judged anew.

    This is how MM-Vet's evaluator treats a grade file that has too few runs. The recording
    does not say which responses it graded; that they are those of this run is the word of
    whoever names it.
    """

    def __init__(self, judge: Judge, recorded: ReplayJudge) -> None:
        self._judge = judge
        self._recorded = recorded
        self.order = recorded.order
        self.unknown = recorded.unknown
        self.recorded = recorded.recorded
        self.notes = [
            *recorded.notes,
            f"verdicts that {recorded.name} holds are taken from it, which does not say by what "
            "prompt they were given; the others compare with them only if that was this judge's",
        ]
        self.name = f"{judge.name}, after {recorded.name}"
        self.adapter = judge.adapter
        self.max_concurrency = judge.max_concurrency
        self.offline = judge.offline
        self.cacheable = judge.cacheable
        self.reads_texts_only = getattr(judge, "reads_texts_only", False)

    def identity(self, protocol: str) -> Mapping[str, Any]:
        """The judge's: what was recorded is found by its sample's id and enters no cache."""
        return self._judge.identity(protocol)

    def provenance(self, protocol: str) -> dict[str, Any]:
        """The judge's, with the recording's name and hash."""
        return {**provenance(self._judge, protocol), **self._recorded.provenance(protocol)}

    async def judge(self, task: JudgeTask, ask: Ask) -> Verdict:
        """The recorded verdict, or else the judge's. Raises JudgeError if none can be had."""
        return self._recorded.recorded(task) or await self._judge.judge(task, ask)

    async def aclose(self) -> None:
        """Close the judge."""
        await self._judge.aclose()
