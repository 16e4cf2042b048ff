"""The same run by inspect_ai: python perf/inspect_side.py URL SAMPLES.jsonl CONCURRENCY"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, get_model
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import generate


def main(url: str, file: Path, concurrency: int) -> None:
    """Run a task over every sample of `file`."""
    samples = []
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        parts = [ContentImage(image=str(file.parent / path)) for path in row["images"]]
        message = ChatMessageUser(content=[*parts, ContentText(text=row["question"])])
        samples.append(Sample(id=row["id"], input=[message], target=row["answer"]))
    # Its default for OpenAI is another interface than chat completions.
    role = {"base_url": url, "api_key": "none", "responses_api": False}
    with tempfile.TemporaryDirectory() as logs:
        eval(
            Task(
                dataset=MemoryDataset(samples),
                solver=generate(),
                scorer=model_graded_qa(model=get_model("openai/judge", **role)),
            ),
            model=get_model("openai/model", **role),
            max_connections=concurrency,
            max_samples=4 * concurrency,
            display="none",
            log_dir=logs,
        )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
