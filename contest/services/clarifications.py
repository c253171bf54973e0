"""Questions to the jury and their answers."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils import timezone

from contest.access import Rights
from contest.events import ClarificationAnswered, ClarificationAsked, publish
from contest.models import Clarification, Contest, Problem, User
from contest.rules.phases import Phase
from contest.services.checks import one_at_a_time, require_member, require_staff, require_text
from contest.services.errors import Refused

TEXT_LIMIT_CHARS = 2000
ANSWER_LIMIT_CHARS = 4000
UNANSWERED_LIMIT = 20
"""Open questions of one contestant; one more is refused, so that nobody can bury the jury."""


def ask_clarification(
    contest: Contest, user: User, *, problem_label: str | None, text: str, command_key: str | None
) -> Clarification:
    """Ask the jury about the contest or one of its problems.

    A repeat of `command_key` asks nothing and answers the first clarification, even where asking
    anew would be refused by now.
    """
    first = _asked_with(user, command_key)
    if first is not None:
        return first
    rights = require_member(contest, user)
    if rights.phase is Phase.ARCHIVED:
        raise Refused("forbidden", "This contest is closed; nobody answers questions any more.")
    text = require_text(text, "The question", limit=TEXT_LIMIT_CHARS)
    problem = _problem(contest, rights, problem_label)
    try:
        with transaction.atomic():
            one_at_a_time(user)
            _require_patience(contest, user)
            clarification = Clarification.objects.create(
                contest=contest,
                problem=problem,
                asker=user,
                text=text,
                asked_at=timezone.now(),
                command_key=command_key,
            )
            publish(ClarificationAsked(clarification))
    except IntegrityError:
        # The same command on two connections at once: the unique column let one through.
        first = _asked_with(user, command_key)
        if first is None:  # somebody else's key: a client that makes numbers up
            raise Refused("bad-request", "This command's key belongs to another person.") from None
        return first
    return clarification


def answer_clarification(
    clarification: Clarification, author: User, *, answer: str, is_public: bool, seen_version: int | None = None
) -> Clarification:
    """Answer the asker, or everybody. A second answer replaces the first; the same one changes nothing.

    `seen_version` is what the author had before them: an answer that they do not know of is not replaced. None
    replaces whatever there is.
    """
    require_staff(clarification.contest, author)
    answer = require_text(answer, "The answer", limit=ANSWER_LIMIT_CHARS)
    with transaction.atomic():
        locked = Clarification.objects.select_for_update(of=("self",)).select_related("contest", "problem", "asker")
        row = locked.get(pk=clarification.pk)
        if row.answered_at is not None and (row.answer, row.is_public) == (answer, is_public):
            return row
        if seen_version not in (None, row.version):
            raise Refused("bad-request", _answered_meanwhile(row, author))
        if row.answered_at is not None and row.is_public and not is_public:
            raise Refused("bad-request", "Everybody has been told this answer; it cannot become private any more.")
        row.answer, row.is_public = answer, is_public
        row.answered_at, row.answered_by = timezone.now(), author
        row.version += 1
        row.save(update_fields=["answer", "is_public", "answered_at", "answered_by", "version"])
        publish(ClarificationAnswered(row))
    return row


def _answered_meanwhile(row: Clarification, author: User) -> str:
    by = row.answered_by
    who = "Somebody has" if by is None else "You have" if by == author else f"{by.shown_name} has"
    return f"{who} answered this question meanwhile, as you see below. Send yours again to replace that answer."


def _asked_with(user: User, command_key: str | None) -> Clarification | None:
    """What `user` asked with this key; nobody else's, whatever key a client makes up."""
    if command_key is None:
        return None
    return Clarification.objects.filter(asker=user, command_key=command_key).select_related("problem", "asker").first()


def _require_patience(contest: Contest, user: User) -> None:
    if Clarification.objects.filter(contest=contest, asker=user, answered_at=None).count() >= UNANSWERED_LIMIT:
        raise Refused("busy", f"{UNANSWERED_LIMIT} of your questions wait for an answer; please wait for the jury.")


def _problem(contest: Contest, rights: Rights, label: str | None) -> Problem | None:
    if not label:
        return None
    # PostgreSQL takes no NUL, not even to look for one.
    problem = Problem.objects.filter(contest=contest, label=label).first() if "\x00" not in label else None
    hidden = problem is None or not rights.may_see_problems or (problem.is_draft and not rights.is_staff)
    if hidden:
        # The same words for "no such" and "not yet": before the start nothing about problems is said.
        raise Refused("not-found", f"There is no problem {label[:20]} in this contest.")
    return problem
