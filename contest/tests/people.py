"""Signing people in for tests of pages."""

from __future__ import annotations

from typing import Any

from django.test import Client

from contest.models import User


def entered(user: User | None, **options: Any) -> Client:
    """A browser of `user`, signed in; of nobody for None."""
    client = Client(**options)
    if user is not None:
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client
