"""Checks that several services share; each raises `Refused` with a sentence."""

from __future__ import annotations

from contest.access import Rights, rights_in
from contest.models import Contest, User
from contest.services.errors import Refused


def require_staff(contest: Contest, user: User) -> None:
    if not rights_in(contest, user).is_staff:
        raise Refused("forbidden", "Only the jury of this contest may do that.")


def require_member(contest: Contest, user: User) -> Rights:
    """Registered contestants and staff: those who may open the contest's streams."""
    rights = rights_in(contest, user)
    if not rights.may_connect:
        raise Refused("forbidden", "Only registered contestants and the jury may do that.")
    return rights


def require_text(text: str, what: str, *, limit: int) -> str:
    """`text` without surrounding white space. PostgreSQL cannot store NUL, so no shape of the site takes it."""
    text = text.strip()
    if not text:
        raise Refused("bad-request", f"{what} is empty.")
    if len(text) > limit:
        raise Refused("bad-request", f"{what} is longer than {limit} characters.")
    if "\x00" in text:
        raise Refused("bad-request", f"{what} contains a NUL character.")
    return text
