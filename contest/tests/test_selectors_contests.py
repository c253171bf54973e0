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


def test_whoever_is_excluded_finds_the_contest_by_its_name_while_it_is_not_over(
    contest: Contest, bob: User, grace: User
) -> None:
    now = timezone.now()
    next_one = Contest.objects.create(
        slug="next", title="Next", starts_at=now + timedelta(hours=1), ends_at=now + timedelta(hours=2)
    )
    JuryMembership.objects.create(contest=next_one, user=grace)
    for each in (contest, next_one):
        ban(each, bob, grace)
    found = contest_list(bob, now)
    assert [(row.contest.slug, row.is_excluded) for row in found.running + found.coming] == [
        ("cup", True),
        ("next", True),
    ]
    contest.ends_at = now
    contest.save()
    found = contest_list(bob, now)
    assert (found.running, found.past) == ([], [])


def test_an_admin_and_the_jury_are_shut_out_of_nothing(contest: Contest, alice: User, bob: User, grace: User) -> None:
    for person in (alice, bob):
        ban(contest, person, grace)
    JuryMembership.objects.create(contest=contest, user=alice)
    User.objects.filter(pk=bob.pk).update(is_superuser=True)
    for person in (alice, User.objects.get(pk=bob.pk)):
        (row,) = contest_list(person, timezone.now()).running
        assert not row.is_excluded
