"""The way to a URL: by which proxy, and whether anybody answers; nothing is asked or billed."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from pytest_mmreason.errors import UsageError

PROBE_TIMEOUT_S = 3.0


def connect_error(url: str) -> OSError | None:
    """Why no connection to the host of `url` is made within PROBE_TIMEOUT_S; None if one is.

    Behind a proxy nothing can be told, and None is returned.
    """
    if proxy_for(url):
        return None
    try:
        socket.create_connection(_address(url), timeout=PROBE_TIMEOUT_S).close()
    except OSError as error:
        return error
    return None


def proxy_for(url: str) -> str | None:
    """The proxy that the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY) names for
    `url`, or None. Raises UsageError for one that speaks no HTTP."""
    proxies = getproxies()
    proxy = proxies.get(urlsplit(url).scheme) or proxies.get("all")
    host, port = _address(url)
    if not proxy or proxy_bypass(host) or proxy_bypass(f"{host}:{port}"):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if urlsplit(proxy).scheme not in {"http", "https"}:
        raise UsageError(
            f"the environment names a proxy of the kind {urlsplit(proxy).scheme}:// for {host}, and "
            "only http:// proxies can be used; set HTTPS_PROXY to one, or put the host into NO_PROXY"
        )
    return proxy


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
