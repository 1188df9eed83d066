"""The addresses for administrators, and the routes of the API as metrics name them."""

from __future__ import annotations

HEALTH = "/healthz"
READY = "/readyz"
METRICS = "/metrics"
API = "/api/v1"
STATIC = "/static"
NOT_LOGGED = (HEALTH, READY, METRICS)  # programs ask for them every few seconds


def whole_route(route: str, path: str) -> str:
    """Return the route of a path with the prefix of the API, which FastAPI may leave out.

    >>> whole_route("/projects/{name}", "/api/v1/projects/claims")
    '/api/v1/projects/{name}'
    """
    n_more = path.count("/") - route.count("/")
    prefix = "/".join(path.split("/")[: n_more + 1]) if n_more > 0 else ""
    return f"{prefix}{route}" if prefix == API else route
