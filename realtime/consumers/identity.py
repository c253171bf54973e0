"""Whose connection it is, of which document, to which stream of which contest: known one after the other."""

from __future__ import annotations

from typing import ClassVar

from channels.consumer import AsyncConsumer
from django.utils import timezone

from contest.models import Contest, User
from realtime.entry.attach import Attached
from realtime.entry.sessions import Visitor
from realtime.streams import Stream
from realtime.wire.protocol import Hello


class Identity(AsyncConsumer):
    """The visitor comes with the session, the document with `hello`, the contest once it is attached."""

    stream: ClassVar[Stream]
    target: str

    def __init__(self) -> None:
        self.visitor: Visitor | None = None
        self.hello: Hello | None = None
        self.attached: Attached | None = None

    @property
    def document(self) -> tuple[int, str, str, str]:
        """What a newer connection of the same document and stream takes over from."""
        assert self.visitor is not None
        assert self.hello is not None
        return self.visitor.user_id, self.hello.client, self.stream.name, self.target

    @property
    def user(self) -> User:
        assert self.visitor is not None
        return self.visitor.user

    @property
    def contest(self) -> Contest:
        assert self.attached is not None
        return self.attached.admission.contest

    @property
    def contest_id(self) -> int | None:
        return self.attached.admission.contest.pk if self.attached else None

    @property
    def session_digest(self) -> str | None:
        return self.visitor.session_digest if self.visitor else None

    def has_expired(self) -> bool:
        return self.visitor is not None and self.visitor.expires_at <= timezone.now()

    def is_page_of_another(self) -> bool:
        """Alice's page comes back with Bob's cookie, after he has signed in in another tab: neither may it show what
        is his, nor send as him what waits there of hers."""
        assert self.visitor is not None
        assert self.hello is not None
        return self.hello.user is not None and self.hello.user != self.visitor.user_id
