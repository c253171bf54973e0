"""Checks that several services share; each raises `Refused` with a sentence."""

from __future__ import annotations

from django.conf import settings

from contest.access import Rights, rights_in
from contest.models import Contest, User
from contest.ports import offered_languages
from contest.rules.phases import Phase
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


def one_at_a_time(user: User) -> None:
    """Inside a transaction: what is counted for this person from here on stays true until its end. Without it,
    requests sent at once would all find themselves below a limit."""
    User.objects.select_for_update(no_key=True).values_list("pk").get(pk=user.pk)


def why_closed(rights: Rights) -> str:
    """Why somebody with these rights cannot submit or run anything now, as a sentence."""
    if not rights.is_registered:
        return "You are not registered for this contest."
    if rights.phase is Phase.COMING:
        return "The contest has not started yet."
    if rights.phase is Phase.PAUSED:
        return "The contest is paused. Nothing can be sent until it goes on; its clock stands still meanwhile."
    return "The contest is over."


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


def require_source(language: str, source: str) -> None:
    """A program that can be judged: in an offered language, not empty, valid text of bounded size."""
    if language not in {offered.id for offered in offered_languages()}:
        raise Refused("bad-request", "Choose one of the languages that are offered.")
    if not source.strip():
        raise Refused("bad-request", "The source is empty.")
    if "\x00" in source:
        raise Refused("bad-request", "The source contains a NUL character; is it really a text file?")
    try:
        size_bytes = len(source.encode())
    except UnicodeEncodeError:  # half a surrogate pair: JSON can spell what is no text
        raise Refused("bad-request", "The source is not valid Unicode text.") from None
    if size_bytes > settings.SOURCE_LIMIT_BYTES:
        raise Refused("bad-request", f"The source is larger than {settings.SOURCE_LIMIT_BYTES // 1024} KiB.")
