"""Messages between the controller and its workers: JSON over a connection, never pickle."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

from pytest_mmreason.errors import CallError, JudgeError, ModelError
from pytest_mmreason.imaging import LoadedImage
from pytest_mmreason.models.base import Request
from pytest_mmreason.prompting import Prompt, Turn
from pytest_mmreason.sample import ImageRef


def send(connection: Connection, message: Mapping[str, Any]) -> None:
    """Send one message."""
    connection.send_bytes(json.dumps(message).encode("ascii"))


def receive(connection: Connection) -> dict[str, Any]:
    """The next message; EOFError once the other end is gone."""
    message = json.loads(connection.recv_bytes())
    if not isinstance(message, dict):
        raise OSError("a message is a JSON object")
    return message


def image_to_json(image: LoadedImage) -> dict[str, Any]:
    """A loaded image, bytes and all."""
    return {
        "path": image.path,
        "data": base64.b64encode(image.data).decode("ascii"),
        "mime": image.mime,
        "size": image.size,
        "sent": image.sent,
        "sha256": image.sha256,
    }


def image_from_json(data: Mapping[str, Any]) -> LoadedImage:
    """The image that :func:`image_to_json` wrote."""
    return LoadedImage(
        path=data["path"],
        data=base64.b64decode(data["data"]),
        mime=data["mime"],
        size=tuple(data["size"]),
        sent=tuple(data["sent"]),
        sha256=data["sha256"],
    )


def request_to_json(request: Request) -> dict[str, Any]:
    """A question to a model, its images loaded; a schema is never sent to a peer."""
    return {
        "turns": [
            [turn.role, [p if isinstance(p, str) else [p.path, p.root] for p in turn.parts]]
            for turn in request.prompt.turns
        ],
        "images": [image_to_json(image) for image in request.images],
        "params": dict(request.params),
        "sample": request.sample,
        "benchmark": request.benchmark,
        "repeat": request.repeat,
    }


def request_from_json(data: Mapping[str, Any]) -> Request:
    """The request that :func:`request_to_json` wrote."""
    turns = tuple(
        Turn(role, tuple(part if isinstance(part, str) else ImageRef(*part) for part in parts))
        for role, parts in data["turns"]
    )
    return Request(
        prompt=Prompt(turns),
        images=[image_from_json(image) for image in data["images"]],
        params=data["params"],
        sample=data["sample"],
        benchmark=data["benchmark"],
        repeat=data["repeat"],
    )


def error_to_json(error: CallError) -> dict[str, Any]:
    """A failed call, so that it can be raised on the other side."""
    return {
        "judge": isinstance(error, JudgeError),
        "message": str(error),
        "cause": error.cause,
        "retryable": error.retryable,
        "fatal": error.fatal,
        "retry_after_s": error.retry_after_s,
        "detail": error.detail,
    }


def error_from_json(data: Mapping[str, Any]) -> CallError:
    """The error that :func:`error_to_json` wrote."""
    kind = JudgeError if data["judge"] else ModelError
    return kind(
        data["message"],
        cause=data["cause"],
        retryable=data["retryable"],
        fatal=data["fatal"],
        retry_after_s=data["retry_after_s"],
        detail=data["detail"],
    )
