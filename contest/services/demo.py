"""The demo contest: real problems and people to try the site with, loaded into an empty site only."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import get_random_string

from contest.demo import COLORS, LABELS, PROBLEMS
from contest.models import Contest, JuryMembership, Participation, Problem, User
from contest.services.errors import Refused
from contest.services.packages import import_package
from contest.services.standings import touch_standings

SLUG = "demo"
LENGTH = timedelta(hours=5)
CONTESTANTS = ("alice", "bob", "carol")
PEOPLE = (*CONTESTANTS, "mallory", "grace", "olga", "admin")
MOST_CONTESTANTS = 99_999
# Passwords that stand in the documentation gain nothing from slow hashing, and ten thousand of them must be
# made in seconds. Signing in replaces the hash by one of the usual cost.
_CHEAP_ITERATIONS = 1000
_BATCH_ROWS = 2000
_DESCRIPTION = """Five problems to try the site with.

Sign in as a contestant and submit, or as the jury and post a notice. Everything may be changed and thrown away.
"""


def password_of(username: str) -> str:
    """Every account of the demo has such a password; none of them may exist on a site that matters."""
    return f"demo-{username}"


def is_empty_site() -> bool:
    """Whether nobody has an account and there is no contest."""
    return not User.objects.exists() and not Contest.objects.exists()


def load_demo() -> Contest:
    """The demo contest, running from now for five hours, with its people and problems; the one that is there
    if it has been loaded before. Raises `Refused` on a site with other data, and changes nothing then."""
    try:
        with transaction.atomic():
            found = _find()
            if found is None and not is_empty_site():
                raise Refused("bad-request", "This site has data. The demo contest is loaded into an empty site only.")
            return found or _build()
    except IntegrityError:
        # Another node, started at the same moment, was first.
        found = _find()
        if found is None:
            raise
        return found


def _find() -> Contest | None:
    """The demo contest, told from somebody's own contest of that name by its people."""
    if User.objects.filter(username__in=CONTESTANTS).count() < len(CONTESTANTS):
        return None
    return Contest.objects.filter(slug=SLUG).first()


def _build() -> Contest:
    now = timezone.now()
    contest = Contest.objects.create(
        slug=SLUG, title="Fathom Demo Contest", description=_DESCRIPTION, starts_at=now, ends_at=now + LENGTH
    )
    people = {name: _person(name) for name in (*CONTESTANTS, "mallory", "grace")}
    _person("olga", is_operator=True)
    _person("admin", is_staff=True, is_superuser=True)
    JuryMembership.objects.create(contest=contest, user=people["grace"])
    for name in CONTESTANTS:
        Participation.objects.create(contest=contest, user=people[name], registered_at=now)
    for label in LABELS:
        # Not judged: a first visitor's submission should not wait for forty samples, many of them too slow.
        package = import_package(PROBLEMS / label, contest, label, None, judge_samples=False)
        Problem.objects.filter(package=package).update(is_draft=False, color=COLORS[label])
    return contest


def _person(username: str, **rights: bool) -> User:
    user = User(username=username, **rights)
    user.set_password(password_of(username))
    user.save()
    return user


def add_contestants(contest: Contest, count: int) -> list[User]:
    """Makes sure that `c00001` to the `count`th are there and registered, and returns them in order. Quick."""
    if not 0 <= count <= MOST_CONTESTANTS:
        raise Refused("bad-request", f"The number of contestants must be from 0 to {MOST_CONTESTANTS}.")
    names = [f"c{number:05}" for number in range(1, count + 1)]
    with transaction.atomic():
        User.objects.bulk_create(_missing(names), batch_size=_BATCH_ROWS)
        users = _users_named(names)
        now = timezone.now()
        rows = [Participation(contest=contest, user=user, registered_at=now) for user in users]
        # Who is registered already stays as they are.
        Participation.objects.bulk_create(rows, batch_size=_BATCH_ROWS, ignore_conflicts=True)
        touch_standings(contest)
    return users


def _missing(names: list[str]) -> list[User]:
    there = set(User.objects.filter(username__startswith="c").values_list("username", flat=True))
    return [User(username=name, password=_cheap_hash(password_of(name))) for name in names if name not in there]


def _users_named(names: list[str]) -> list[User]:
    wanted = set(names)
    users = User.objects.filter(username__startswith="c").order_by("username")
    return [user for user in users if user.username in wanted]


def _cheap_hash(password: str) -> str:
    return str(PBKDF2PasswordHasher().encode(password, get_random_string(22), iterations=_CHEAP_ITERATIONS))
