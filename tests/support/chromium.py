"""A headless Chromium, driven through its DevTools protocol; for tests of the report."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
PATIENCE_S = 60.0

_OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # it would call its makers
    "--no-first-run",
    "--remote-debugging-port=0",
)

_CODES = {"Escape": 27, "Enter": 13, "Tab": 9}
"""What the browser itself hears of keys that it acts on."""


class Page:
    """One page of a browser.

    events: what the browser told of it, (method, parameters), in order.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self._socket = socket
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._numbers = itertools.count(1)
        self._listener = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        async for message in self._socket:
            content = message.json()
            if "id" in content:
                self._waiting.pop(content["id"]).set_result(content)
            else:
                self.events.append((content["method"], content["params"]))

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What the browser answers; an AssertionError if that is an error."""
        number = next(self._numbers)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        waiting = self._waiting[number]
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        answer = await asyncio.wait_for(waiting, PATIENCE_S)
        assert "error" not in answer, (method, answer["error"])
        result: dict[str, Any] = answer["result"]
        return result

    async def open(self, url: str) -> float:
        """Load `url`; returns the seconds until the page was there and had been painted."""
        start, seen = time.monotonic(), len(self.events)
        await self.call("Page.navigate", url=url)
        while not any(name == "Page.loadEventFired" for name, _ in self.events[seen:]):
            assert time.monotonic() - start < PATIENCE_S, f"{url} did not load"
            await asyncio.sleep(0.005)
        await self.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        return time.monotonic() - start

    async def evaluate(self, script: str) -> Any:
        """The value of `script`, awaited; an AssertionError if it throws."""
        answer = await self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def press(self, key: str) -> None:
        """Press a key, for example ``j`` or ``Escape``."""
        more = {"text": key} if len(key) == 1 else {"windowsVirtualKeyCode": _CODES[key]}
        for kind in ("keyDown", "keyUp"):
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, **more)

    async def look(self, width: int, height: int, *, dark: bool = False) -> None:
        """Show the page in a window of this size."""
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.call("Emulation.setEmulatedMedia", features=[scheme])

    async def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """A picture of the window, or of the whole page."""
        shot = await self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextlib.asynccontextmanager
async def opened(net_log: Path | None = None) -> AsyncIterator[Page]:
    """A page of a new browser. net_log: where it writes all that its network did."""
    assert CHROMIUM is not None
    with tempfile.TemporaryDirectory(
        prefix="mmreason-chromium-", ignore_cleanup_errors=True
    ) as home:
        options = [*_OPTIONS, f"--user-data-dir={home}"]
        options += [f"--log-net-log={net_log}"] if net_log else []
        with subprocess.Popen(
            [CHROMIUM, *options, "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                port = await _port(Path(home, "DevToolsActivePort"), process)
                async with aiohttp.ClientSession() as session:
                    async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                        targets = await answer.json()
                    url = next(t["webSocketDebuggerUrl"] for t in targets if t["type"] == "page")
                    async with session.ws_connect(url, max_msg_size=0) as socket:
                        page = Page(socket)
                        for domain in ("Page", "Runtime", "Network", "Log"):
                            await page.call(f"{domain}.enable")
                        yield page
                        # Asked to close, it finishes its log.
                        await page.call("Browser.close")
                        await page._listener
                process.wait(PATIENCE_S)
            finally:
                process.kill()


async def _port(file: Path, process: subprocess.Popen[bytes]) -> int:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if "\n" in text:
            return int(text.split("\n", 1)[0])
        assert process.poll() is None, "Chromium ended"
        assert time.monotonic() < deadline, "Chromium did not start"
        await asyncio.sleep(0.05)
