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
    parts = urlsplit(url)
    host = parts.hostname or ""
    if {parts.scheme, "all"} & getproxies().keys() and not proxy_bypass(host):
        return None
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((host, port), timeout=PROBE_TIMEOUT_S).close()
    except OSError as error:
        return error
    return None
