"""What the site of a run is filled with. Runs inside the site's own Django: `manage.py shell -c "…; fill()"`."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from io import StringIO

from django.contrib.auth.hashers import make_password
from django.core.management import call_command

from contest.models import User
from contest.services.demo import PEOPLE, password_of
from contest.services.sessions import open_sessions

SESSIONS_EACH = 100
"""More than one worker's tests open browsers for one person: what ends a session ends it for one browser."""


def fill() -> None:
    """Migrate, load the demo contest, and print signed-in sessions of each of its people, as JSON.

    Passwords get their usual cost at once: the first sign-in would do it, and end the sessions made before.
    """
    call_command("migrate", verbosity=0)
    call_command("demo", stdout=StringIO())
    people = list(User.objects.filter(username__in=PEOPLE))
    with ThreadPoolExecutor() as pool:
        hashes = list(pool.map(make_password, [password_of(user.username) for user in people]))
    for user, password in zip(people, hashes, strict=True):
        user.password = password
        user.save(update_fields=["password"])
    print(json.dumps({user.username: open_sessions([user] * SESSIONS_EACH) for user in people}))
