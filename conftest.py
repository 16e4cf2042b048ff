"""What the repository's own tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.endpoint import Endpoint

pytest_plugins = ["pytester"]

REALDATA = Path(
    os.environ.get("MMREASON_REALDATA", Path(__file__).parent.parent / "shared" / "realdata")
)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, endpoint or CI of the person who runs the tests reaches them."""
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "GITHUB_ACTIONS",
        "GITHUB_STEP_SUMMARY",
        "CI",
        "PYTEST_ADDOPTS",
        "PYTEST_XDIST_AUTO_NUM_WORKERS",
        "COLUMNS",
        "NO_COLOR",
        "FORCE_COLOR",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An OpenAI-compatible endpoint; set its `script`."""
    server = Endpoint()
    yield server
    server.close()


@pytest.fixture
def realdata() -> Path:
    """The folder of real benchmark files, which are not part of this repository."""
    if not (REALDATA / "mmvet" / "mm-vet.json").is_file():
        pytest.skip(f"real benchmark data are not at {REALDATA} (set MMREASON_REALDATA)")
    return REALDATA
