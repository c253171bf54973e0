"""The only judge of rights: every view, socket and event asks here.

`rights_in` reads what there is to know about one user and one contest and answers a frozen
`Rights`; its properties are pure. Nothing else in the project compares roles.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from contest.models import Contest, JuryMembership, Participation, Record, User
from contest.rules.feedback import Feedback
from contest.rules.phases import Phase, Schedule, has_begun, is_open, is_over, pauses_of
from contest.streams import StreamName

Viewer = User | AnonymousUser

EXCLUDED = "The organisers have excluded you from this contest."
"""What a banned person is told wherever they knock: pages, forms and streams."""


@dataclass(frozen=True)
class Rights:
    """What one viewer may see and do in one contest at one moment."""

    user_id: int | None
    contest_id: int
    phase: Phase
    is_registered: bool
    is_banned: bool
    is_jury: bool
    is_public: bool
    registration_open: bool
    records_open_after_end: bool
    feedback: Feedback
    extra_time_s: int = 0  # of this contestant alone; already in `phase`
    others_compete: bool = False  # after the end somebody still has extra time
    standings_frozen: bool = False  # the final standings have not been shown

    @property
    def is_staff(self) -> bool:
        """Runs this contest: its jury, or an admin."""
        return self.is_jury

    @property
    def may_see_contest(self) -> bool:
        return self.is_staff or self.is_registered or (self.is_public and not self.is_banned)

    @property
    def may_see_problems(self) -> bool:
        if self.is_staff:
            return True
        if self.phase is Phase.COMING:
            return False
        return self.is_registered or (is_over(self.phase) and self.may_see_contest)

    @property
    def may_submit(self) -> bool:
        return self.is_staff or (self.is_registered and is_open(self.phase))

    @property
    def has_workbench(self) -> bool:
        """Sees the place where programs are written; in a pause what stands there stays, and waits."""
        return self.is_staff or (self.is_registered and has_begun(self.phase))

    @property
    def may_ask(self) -> bool:
        """Questions go to the jury, so the jury asks none."""
        return self.is_registered and not self.is_staff and self.phase is not Phase.ARCHIVED

    @property
    def may_register(self) -> bool:
        return (
            self.user_id is not None
            and self.is_public
            and self.registration_open
            and not (self.is_registered or self.is_banned or self.is_jury)
            and not is_over(self.phase)
        )

    @property
    def may_see_standings(self) -> bool:
        return self.is_staff or (self.may_see_contest and self.phase is not Phase.COMING)

    @property
    def may_connect(self) -> bool:
        """May open the contest's live streams."""
        return self.is_staff or self.is_registered

    def may_follow(self, stream: StreamName, record: Record | None = None) -> bool:
        """May open this live stream; for the stream of one record, that record."""
        if stream is StreamName.RECORD:
            return self.user_id is not None and record is not None and self.may_see_record(record)
        if stream is StreamName.TIMER:
            return self.is_registered
        return self.may_connect

    @property
    def sees_all_records(self) -> bool:
        """Others' programs would help whoever still competes, and their verdicts would tell what the freeze hides."""
        if self.is_staff:
            return True
        is_open = self.records_open_after_end and not (self.others_compete or self.standings_frozen)
        return is_over(self.phase) and is_open and self.may_see_problems

    @property
    def own_feedback(self) -> Feedback:
        """The feedback rule for the viewer's own records: everything once the contest is over."""
        return Feedback.FULL if self.is_staff else _own_feedback(self.feedback, self.phase)

    @property
    def sees_own_cases(self) -> bool:
        """Cases of the viewer's own records, all or up to the first failed one."""
        return self.own_feedback in (Feedback.FULL, Feedback.FIRST_FAILED)

    def may_see_record(self, record: Record) -> bool:
        if self.is_staff:
            return True
        if record.purpose != Record.Purpose.CONTEST:
            return record.user_id is not None and record.user_id == self.user_id
        own = record.user_id == self.user_id and self.is_registered
        return own or self.sees_all_records

    @property
    def sees_records_in_full(self) -> bool:
        """Of those records that may be seen at all: others' are either not seen, or seen in full."""
        return self.own_feedback is Feedback.FULL


def owner_feedback(record: Record) -> Feedback:
    """What its owner, a contestant, may see of `record` now; asks for no more rows than the record's own."""
    participation: Participation | None = record.participation
    extra_time_s = participation.extra_time_s if participation else 0
    return _own_feedback(Feedback(record.contest.feedback), phase_of(record.contest, extra_time_s=extra_time_s))


def _own_feedback(feedback: Feedback, phase: Phase) -> Feedback:
    return Feedback.FULL if is_over(phase) else feedback


def schedule_of(contest: Contest) -> Schedule:
    return Schedule(
        contest.starts_at,
        contest.ends_at,
        contest.freeze_at,
        contest.archived_at,
        contest.paused_at,
        pauses_of(contest.pauses),
    )


def phase_of(contest: Contest, now: datetime | None = None, extra_time_s: int = 0) -> Phase:
    return schedule_of(contest).phase_at(now or timezone.now(), timedelta(seconds=extra_time_s))


def rights_in(contest: Contest, user: Viewer, now: datetime | None = None) -> Rights:
    """The rights of `user` in `contest` at `now`: two indexed queries for somebody signed in, none otherwise;
    after the end one more."""
    participation: Participation | None = None
    is_jury = False
    if isinstance(user, User) and user.is_active:
        participation = Participation.objects.filter(contest=contest, user=user).first()
        is_jury = user.is_superuser or JuryMembership.objects.filter(contest=contest, user=user).exists()
    return _rights(_Moment.of(contest, now), user, participation, is_jury)


def rights_of_many(contest: Contest, users: Iterable[User], now: datetime | None = None) -> dict[int, Rights]:
    """User id → rights in `contest`: two queries, however many users; after the end one more."""
    people = {user.pk: user for user in users if user.is_active}
    participations = {each.user_id: each for each in Participation.objects.filter(contest=contest, user__in=people)}
    jurors = set(JuryMembership.objects.filter(contest=contest, user__in=people).values_list("user_id", flat=True))
    moment = _Moment.of(contest, now)
    return {
        key: _rights(moment, user, participations.get(key), user.is_superuser or key in jurors)
        for key, user in people.items()
    }


@dataclass(frozen=True)
class _Moment:
    """A contest at one moment, as far as it is the same for everybody."""

    contest: Contest
    now: datetime
    somebody_competes: bool

    @classmethod
    def of(cls, contest: Contest, now: datetime | None) -> _Moment:
        now = now or timezone.now()
        return cls(contest, now, _somebody_competes(contest, now))


def _rights(moment: _Moment, user: Viewer, participation: Participation | None, is_jury: bool) -> Rights:
    contest = moment.contest
    state = participation.state if participation else None
    extra_time_s = participation.extra_time_s if participation else 0
    return Rights(
        user_id=user.pk if user.is_authenticated else None,
        contest_id=contest.pk,
        phase=phase_of(contest, moment.now, extra_time_s),
        is_registered=state == Participation.State.REGISTERED,
        is_banned=state == Participation.State.BANNED,
        is_jury=is_jury,
        is_public=contest.visibility == Contest.Visibility.PUBLIC,
        registration_open=contest.registration_open,
        records_open_after_end=contest.records_open_after_end,
        feedback=Feedback(contest.feedback),
        extra_time_s=extra_time_s,
        others_compete=moment.somebody_competes,
        standings_frozen=contest.freeze_at is not None and contest.unfrozen_at is None,
    )


def _somebody_competes(contest: Contest, now: datetime) -> bool:
    """Whether the contest is over by its schedule, but not yet for somebody with extra time."""
    if phase_of(contest, now) is not Phase.ENDED:
        return False
    since_end_s = (now - contest.ends_at).total_seconds()
    competing = contest.participations.filter(state=Participation.State.REGISTERED, extra_time_s__gt=since_end_s)
    return competing.exists()


def is_operator(user: Viewer) -> bool:
    """May see nodes, judges and queues, and drain them."""
    return isinstance(user, User) and user.is_active and (user.is_operator or user.is_superuser)
