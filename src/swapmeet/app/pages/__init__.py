"""The pages, one file each, and their addresses."""

from __future__ import annotations

from swapmeet.app.pages import (
    candidate,
    compare,
    data,
    decide,
    home,
    progress,
    protect,
    release,
    roles,
    searches,
)

ROUTES = [
    *home.ROUTES,
    *data.ROUTES,
    *roles.ROUTES,
    *protect.ROUTES,
    *searches.ROUTES,
    *compare.ROUTES,
    *candidate.ROUTES,
    *decide.ROUTES,
    *release.ROUTES,
    *progress.ROUTES,
]
