"""The list of records: its newest page is live, an older one stands still, a filter is known to its script."""

from __future__ import annotations

import json
import re

import pytest

from contest.models import Contest, User
from contest.services.records import submit
from contest.tests.page_data import page_data
from contest.tests.people import entered

pytestmark = pytest.mark.django_db


def test_an_older_page_of_records_stands_still(contest: Contest, alice: User) -> None:
    record = submit(contest.problems.get(), alice, language="python", source="print(3)")
    newest = entered(alice).get("/contests/cup/records/").content.decode()
    older = entered(alice).get(f"/contests/cup/records/?before={record.pk + 1}").content.decode()
    assert f'data-record-id="{record.pk}"' in newest
    assert f'data-record-id="{record.pk}"' in older
    assert "records" in page_data(newest)["streams"]
    assert "records" not in page_data(older)["streams"], "new records would push their way into it"


def test_a_filtered_list_tells_its_script_whose_records_it_shows(
    contest: Contest, grace: User, alice: User, bob: User
) -> None:
    problem = contest.problems.get()
    shown, other = (submit(problem, user, language="python", source="print(3)") for user in (alice, bob))
    client = entered(grace)
    for query, user_id in [("user=alice", alice.pk), ("user=nobody", 0), ("only_own=1", grace.pk), ("", "")]:
        html = client.get(f"/contests/cup/records/?{query}").content.decode()
        assert f'data-user-id="{user_id}"' in html
    html = client.get("/contests/cup/records/?user=alice").content.decode()
    listed = re.search(r'<script id="listed-records" type="application/json">(.*?)</script>', html, re.DOTALL)
    assert listed and [row["id"] for row in json.loads(listed[1])] == [shown.pk]
    assert f'data-record-id="{other.pk}"' not in html
