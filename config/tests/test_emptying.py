"""The tests' own way of emptying the database leaves what `migrate` leaves."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.test import TransactionTestCase

from contest.models import Contest, User
from contest.services.notices import post_notice
from realtime.models import LogEpoch
from tools.emptying import empty_databases


@pytest.mark.django_db(transaction=True)
def test_everything_goes_but_what_is_written_when_the_tables_are_made(
    contest: Contest, alice: User, grace: User
) -> None:
    post_notice(contest, grace, title="t", body="b")
    epoch = LogEpoch.objects.get().epoch
    made: dict[type[Model], int] = {model: model._default_manager.count() for model in (ContentType, Permission)}
    assert all(made.values())
    empty_databases(TransactionTestCase())
    left = {model: count for model in apps.get_models() if (count := model._default_manager.count())}
    made[LogEpoch] = 1
    assert left == made
    assert LogEpoch.objects.get().epoch != epoch, "a log that begins anew says so"
