"""The Hugging Face hub, as far as a download needs it. Imported by ``fetch`` alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from pytest_mmreason.errors import MMReasonError, UsageError

INSTALL = "pip install 'pytest-mmreason[hub]'"

READ_TIMEOUT_S = 60.0
"""A connection that brings nothing for so long is broken."""


class FetchError(MMReasonError):
    """A download that cannot go on; says what to do."""


class ConnectionLost(FetchError):
    """The connection broke; another may bring the rest."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a repository.

    size:   in bytes.
    digest: as the hub states it, ``sha256:HEX`` of large files and ``git:HEX``, git's hash of
            a blob, of others; "" where it states none.
    """

    path: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A data set's repository at one commit; `license` is what its card says, "" if nothing."""

    repository: str
    commit: str
    license: str
    files: tuple[RemoteFile, ...]


class Hub:
    """The hub at ``HF_ENDPOINT``; ``HF_TOKEN`` is sent to it and shown nowhere.

    Raises UsageError if huggingface_hub is not installed.
    """

    def __init__(self) -> None:
        try:
            import huggingface_hub
            from huggingface_hub import constants
        except ImportError:
            raise UsageError(f"fetch needs huggingface_hub: {INSTALL}") from None
        self._library: Any = huggingface_hub
        self.endpoint: str = constants.ENDPOINT

    def page(self, repository: str) -> str:
        """The address of a data set's page."""
        return f"{self.endpoint}/datasets/{repository}"

    def listing(self, repository: str, revision: str) -> Listing:
        """The files of a data set at `revision`. Raises FetchError."""
        api = self._library.HfApi(endpoint=self.endpoint)
        try:
            with self._told(repository, revision):
                found = api.dataset_info(
                    repository, revision=revision, files_metadata=True, timeout=READ_TIMEOUT_S
                )
        except (ValueError, KeyError, TypeError, AttributeError):
            raise FetchError(
                f"{self.endpoint} does not answer as the hub does; is HF_ENDPOINT right, or does "
                "a proxy answer in its place?"
            ) from None
        card = found.card_data
        return Listing(
            repository,
            found.sha,
            str(getattr(card, "license", None) or ""),
            tuple(_remote(sibling) for sibling in found.siblings or ()),
        )

    @contextmanager
    def open(self, listing: Listing, file: RemoteFile, start: int) -> Iterator[tuple[int, Any]]:
        """(first byte, chunks) of `file` from byte `start` on, or from 0 if the hub sends all.

        Raises FetchError, and ConnectionLost for what another try may mend.
        """
        from huggingface_hub.utils import build_hf_headers, hf_raise_for_status

        place = f"{quote(listing.commit)}/{quote(file.path)}"
        url = f"{self.page(listing.repository)}/resolve/{place}"
        # Compressed on the way, a part of a file could not be counted in bytes of the whole.
        headers = {**build_hf_headers(), "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        with (
            self._told(listing.repository, file.path),
            self._library.get_session().stream(
                "GET", url, headers=headers, timeout=READ_TIMEOUT_S
            ) as response,
        ):
            hf_raise_for_status(response)
            yield start if response.status_code == 206 else 0, response.iter_bytes()

    @contextmanager
    def _told(self, repository: str, what: str) -> Iterator[None]:
        """Turns the library's errors into FetchError in our words."""
        from huggingface_hub import errors

        page = self.page(repository)
        try:
            yield
        except errors.OfflineModeIsEnabled:
            raise FetchError("HF_HUB_OFFLINE is set, so nothing can be downloaded; unset it") from (
                None
            )
        except errors.GatedRepoError:
            raise FetchError(
                f"{page} asks for an agreement: accept it there, and set HF_TOKEN to your token"
            ) from None
        except errors.HfHubHTTPError as error:
            raise _refused(error, page, what) from None
        except errors.HFValidationError:
            raise FetchError(f"{repository!r} is no repository's name; write OWNER/NAME") from None
        except errors.HTTPError as error:
            raise ConnectionLost(
                f"{self.endpoint} does not answer ({type(error).__name__}); is there a network? "
                "HF_ENDPOINT names a mirror, HTTPS_PROXY a proxy"
            ) from None


def _refused(error: Any, page: str, what: str) -> FetchError:
    """What a status of the hub means."""
    status = error.response.status_code
    has_token = bool(os.environ.get("HF_TOKEN"))
    if status in (401, 403):
        token = "HF_TOKEN is not accepted" if has_token else "no HF_TOKEN is set"
        return FetchError(
            f"{page} does not exist or may not be read ({status}); {token}; --repo names another"
        )
    if status == 404:
        return FetchError(
            f"{page} or {what!r} in it does not exist (404); --repo and --revision name others"
        )
    if status >= 500 or status in (408, 429):
        return ConnectionLost(f"{page} cannot be read now ({status}); try again later")
    return FetchError(f"{page} cannot be read ({status})")


def _remote(sibling: Any) -> RemoteFile:
    lfs = sibling.lfs
    if lfs is not None:
        return RemoteFile(sibling.rfilename, lfs.size, f"sha256:{lfs.sha256}")
    digest = f"git:{sibling.blob_id}" if sibling.blob_id else ""
    return RemoteFile(sibling.rfilename, sibling.size or 0, digest)
