"""What people's browsers do in tests of pages: sign in, and report how far notices have come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.test import Client

from contest.models import Contest, User
from contest.services.errors import Refused
from contest.services.receipts import Pair, Report, Step, take_reports


def entered(user: User | None, **options: Any) -> Client:
    """A browser of `user`, signed in; of nobody for None."""
    client = Client(**options)
    if user is not None:
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def mark_sent(contest: Contest, users: Iterable[User], pairs: Sequence[Pair]) -> None:
    """These versions were written to a connection of each of `users`."""
    take_reports([Report(Step.SENT, contest, user, pairs) for user in users])


def mark_delivered(contest: Contest, user: User, pairs: Sequence[Pair]) -> list[Pair]:
    """These versions were shown in a visible page. Answers those for which this is news."""
    (answer,) = take_reports([Report(Step.DELIVERED, contest, user, pairs)])
    assert not isinstance(answer, Refused)
    return answer.news
