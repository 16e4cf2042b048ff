"""What a local checkpoint answers in a second: python perf/batching.py CHECKPOINT

Compared on the same questions and images, from file to text, in interleaved rounds:

- transformers alone: the images opened, a processor's batch of 8, generate, decoded;
- the adapter through the engine, as a run has it, in batches of 8;
- the same in batches of 1.

Prints medians, and ratios of medians of rounds; run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_mmreason import imaging
from pytest_mmreason.benchmarks import native
from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.engine import Engine
from pytest_mmreason.judges.local import LocalJudge
from pytest_mmreason.models.transformers import HFModel
from pytest_mmreason.plan import plan_runs
from pytest_mmreason.registry import bundled_benchmark
from pytest_mmreason.settings import Settings
from pytest_mmreason.store import NoStore

BATCH = 8


def questions(count: int) -> Benchmark:
    """`count` questions with an image each, of the bundled benchmark; nothing is judged."""
    mini = native.load(bundled_benchmark("mini"))
    single = [sample for sample in mini.samples if len(sample.images) == 1]
    chosen = [
        replace(single[n % len(single)], id=f"q{n}", answer=None, benchmark="perf")
        for n in range(count)
    ]
    return Benchmark("perf", "infimm-eval", tuple(chosen), fingerprint="")


class Alone:
    """What one writes by hand with transformers."""

    def __init__(self, folder: Path, tokens: int) -> None:
        import torch
        from transformers import AutoModelForImageTextToText, AutoProcessor

        self.processor = AutoProcessor.from_pretrained(folder)
        self.processor.tokenizer.padding_side = "left"
        self.model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)
        self.model = self.model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
        self.tokens = tokens
        self.generate_s = 0.0

    def run(self, benchmark: Benchmark) -> list[str]:
        """Every answer, in batches of BATCH in the order of the questions."""
        import torch

        texts: list[str] = []
        self.generate_s = 0.0
        for start in range(0, len(benchmark.samples), BATCH):
            chats = [
                [
                    {
                        "role": "user",
                        "content": [
                            {"type": "image", "image": imaging.load(sample.images[0]).pil()},
                            {"type": "text", "text": sample.question},
                        ],
                    }
                ]
                for sample in benchmark.samples[start : start + BATCH]
            ]
            inputs = self.processor.apply_chat_template(
                chats,
                add_generation_prompt=True,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
                processor_kwargs={"padding": True},
            ).to(self.model.device)
            inputs.pop("token_type_ids", None)
            began = time.perf_counter()
            with torch.inference_mode():
                output = self.model.generate(**inputs, do_sample=False, max_new_tokens=self.tokens)
            self.generate_s += time.perf_counter() - began
            new = output[:, inputs["input_ids"].shape[1] :]
            texts += self.processor.tokenizer.batch_decode(new, skip_special_tokens=True)
        return texts


def through_engine(benchmark: Benchmark, model: Any, tokens: int) -> list[str]:
    """Every answer of a run through the engine, which must not close the model."""
    settings = Settings(model=("m",), param={"max_tokens": tokens})
    plan = plan_runs(settings, {"perf": benchmark}, {"m": "m"})
    engine = Engine(plan, {"m": model}, LocalJudge(), NoStore())
    works = list(plan.works())
    engine.select(works)
    records = [engine.evaluate(work).record for work in works]
    engine.close()
    assert {record.status for record in records} == {"unjudged"}, records[0].reason
    return [record.response or "" for record in records]


class Kept(HFModel):
    """Stays loaded from one engine to the next."""

    async def aclose(self) -> None:
        """Not yet."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--questions", type=int, default=96, help="in each round (default: 96)")
    parser.add_argument("--tokens", type=int, default=48, help="at most, an answer (default: 48)")
    parser.add_argument("--rounds", type=int, default=5, help="default: 5")
    options = parser.parse_args()
    benchmark = questions(options.questions)
    folder = options.checkpoint.resolve()
    alone = Alone(folder, options.tokens)
    eight = Kept(str(folder), dtype="float32", batch_size=BATCH)
    one = Kept(str(folder), dtype="float32", batch_size=1)

    def seconds(run: Any) -> float:
        began = time.perf_counter()
        run()
        return time.perf_counter() - began

    first = Benchmark("perf", "infimm-eval", benchmark.samples[:BATCH], fingerprint="")
    expected = [text.strip() for text in alone.run(first)]
    answered = through_engine(first, eight, options.tokens)
    through_engine(first, one, options.tokens)
    print(f"{sum(map(str.__eq__, answered, expected))} of {BATCH} answers are transformers' own")
    rounds = []
    for _ in range(options.rounds):
        took = [
            seconds(lambda: alone.run(benchmark)),
            seconds(lambda: through_engine(benchmark, eight, options.tokens)),
            seconds(lambda: through_engine(benchmark, one, options.tokens)),
        ]
        rounds.append((*took, alone.generate_s))
    count = options.questions
    for name, column in zip(
        ("transformers, batch 8", "engine, batch 8", "engine, batch 1", "bare generate, batch 8"),
        zip(*rounds, strict=True),
        strict=True,
    ):
        print(f"{name:24} {count / statistics.median(column):8.1f} samples/s")

    def ratio(slow: int, fast: int) -> float:
        return statistics.median(r[slow] / r[fast] for r in rounds)

    print(f"engine : transformers, batch 8      {ratio(0, 1):.2f}")
    print(f"engine : bare generate, batch 8     {ratio(3, 1):.2f}")
    print(f"engine, batch 8 : batch 1           {ratio(2, 1):.2f}")


if __name__ == "__main__":
    main()
