"""The floor: openai's client, asyncio and two semaphores, a process of its own.

python perf/bare.py URL SAMPLES.jsonl CONCURRENCY: asks a model and then a judge about every
sample, images and all, without retries, cache, records or tests.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from pathlib import Path

import openai


async def main(url: str, file: Path, concurrency: int) -> None:
    """Ask about every sample of `file`."""
    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    model, judge = asyncio.Semaphore(concurrency), asyncio.Semaphore(concurrency)

    async def ask(name: str, content: object, places: asyncio.Semaphore) -> str:
        async with places:
            message = {"role": "user", "content": content}
            reply = await client.chat.completions.create(model=name, messages=[message])
        return reply.choices[0].message.content or ""

    async def one(sample: dict) -> float:
        parts: list[dict] = []
        for path in sample["images"]:
            data = base64.b64encode((file.parent / path).read_bytes()).decode("ascii")
            url = {"url": f"data:image/png;base64,{data}"}
            parts.append({"type": "image_url", "image_url": url})
        parts.append({"type": "text", "text": sample["question"]})
        answer = await ask("model", parts, model)
        question = f"{sample['question']}\n{sample['answer']}\n{answer}\nScore it."
        return float(json.loads(await ask("judge", question, judge))["score"])

    lines = file.read_text(encoding="utf-8").splitlines()
    scores = await asyncio.gather(*(one(json.loads(line)) for line in lines))
    print(f"{100 * sum(scores) / len(scores):.1f}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
