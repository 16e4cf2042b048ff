"""Whether anybody answers at a URL, without a request: nothing is asked, nothing billed."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

PROBE_TIMEOUT_S = 3.0


def connect_error(url: str) -> OSError | None:
    """Why no connection to the host of `url` is made within PROBE_TIMEOUT_S; None if one is.

    Behind a proxy nothing can be told, and None is returned.
    """
    if proxy_for(url):
        return None
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=PROBE_TIMEOUT_S).close()
    except OSError as error:
        return error
    return None


def proxy_for(url: str) -> str | None:
    """The proxy that the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY) names for
    `url`, or None."""
    parts = urlsplit(url)
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.hostname or ""):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
