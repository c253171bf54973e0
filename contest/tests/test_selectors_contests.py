"""Which contests somebody sees, in few queries."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from contest.access import Viewer, rights_in
from contest.models import (
    Contest,
    JuryMembership,
    Participation,
    User,
)
from contest.rules.phases import Phase
from contest.selectors.contests import contest_list, contests_visible_to
from contest.services.registration import ban

pytestmark = pytest.mark.django_db


def test_the_list_agrees_with_the_rights_for_every_kind_of_person_and_contest(
    contest: Contest, alice: User, bob: User, mallory: User, grace: User, olga: User
) -> None:
    hidden = Contest.objects.create(
        slug="closed", title="Closed", starts_at=contest.starts_at, ends_at=contest.ends_at, visibility="private"
    )
    Participation.objects.create(contest=hidden, user=bob, registered_at=timezone.now())
    Participation.objects.create(contest=hidden, user=alice, registered_at=timezone.now(), state="banned")
    JuryMembership.objects.create(contest=hidden, user=mallory)
    ban(contest, bob, grace)
    admin = User.objects.create_superuser("root")
    viewers: list[Viewer] = [alice, bob, mallory, grace, olga, admin, AnonymousUser()]
    for viewer in viewers:
        listed = set(contests_visible_to(viewer))
        allowed = {c for c in Contest.objects.all() if rights_in(c, viewer).may_see_contest}
        assert listed == allowed, viewer


def test_contests_are_sorted_into_running_coming_and_past_by_two_queries(
    contest: Contest, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    now = timezone.now()
    for slug, start, end in [("next", 1, 2), ("later", 30, 31), ("old", -9, -8), ("older", -20, -19)]:
        Contest.objects.create(
            slug=slug, title=slug, starts_at=now + timedelta(hours=start), ends_at=now + timedelta(hours=end)
        )
    with django_assert_num_queries(2):
        found = contest_list(alice, now)
    assert [row.contest.slug for row in found.running] == ["cup"]
    assert [row.contest.slug for row in found.coming] == ["next", "later"]
    assert [row.contest.slug for row in found.past] == ["old", "older"]
    assert found.running[0].is_registered
    assert found.running[0].phase is Phase.RUNNING
    assert not found.has_older
