"""The sentences that the jury of a contest has at hand for its answers."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from contest.models import Contest, User
from contest.services.checks import require_staff, require_text
from contest.services.errors import Refused
from contest.services.times import locked_contest

SENTENCE_LIMIT_CHARS = 200
SENTENCES_LIMIT = 30


def set_answer_templates(contest: Contest, by: User, sentences: Iterable[str]) -> list[str]:
    """Replace the contest's common answers; empty ones and repetitions are left out. Nobody but the jury sees them."""
    require_staff(contest, by)
    given = dict.fromkeys(sentence.strip() for sentence in sentences if sentence.strip())
    if len(given) > SENTENCES_LIMIT:
        raise Refused("bad-request", f"At most {SENTENCES_LIMIT} common answers are kept.")
    kept = [require_text(sentence, "A common answer", limit=SENTENCE_LIMIT_CHARS) for sentence in given]
    with transaction.atomic():
        locked = locked_contest(contest)
        locked.answer_templates = kept
        locked.save(update_fields=["answer_templates"])
    return kept
