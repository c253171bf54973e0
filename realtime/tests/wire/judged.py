"""What the other process does for a contest with a real judge: the problem to judge, and the truth in the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def set_problem(slug: str, cases: int) -> None:
    """Problem A, which a real judge can judge: the sum of two numbers, in so many cases."""
    from django.utils import timezone

    from contest.models import Contest, Package, PackageTest, Problem
    from contest.services.blobs import store_bytes

    problem = Problem.objects.create(contest=Contest.objects.get(slug=slug), label="A", title="Sum", is_draft=False)
    made = {"source_format": "2023-07", "sha256": "0" * 64, "imported_at": timezone.now(), "statements": {"en": "Add."}}
    limits = {"time_limit_ms": 2000, "memory_limit_kb": 262144}
    problem.package = package = Package.objects.create(problem=problem, version=1, **made, **limits)
    problem.save()
    for index in range(1, cases + 1):
        blobs = {"input_id": store_bytes(f"{index} 1\n".encode()), "answer_id": store_bytes(f"{index + 1}\n".encode())}
        PackageTest.objects.create(package=package, index=index, name=f"{index}", is_sample=index == 1, **blobs)


def truth() -> dict[str, Any]:
    """What the database holds in the end, in the words of frames."""
    from contest.models import NoticeReceipt, NoticeVersion, Record, SelfTestOutput, SelfTestRun
    from realtime.models import TimerAccount

    receipts = NoticeReceipt.objects.filter(confirmed_at__isnull=False)
    records = Record.objects.order_by("pk").select_related("user")
    accounts = TimerAccount.objects.select_related("participation__user")
    run = SelfTestRun.objects.order_by("pk").last()
    return {
        "notices": [[pk, title] for pk, title in NoticeVersion.objects.values_list("notice_id", "title")],
        "confirmed": sorted([name, pk] for name, pk in receipts.values_list("user__username", "notice_id")),
        "records": [[r.pk, r.user.username if r.user else "", r.status, r.verdict, r.version] for r in records],
        "cases": {str(r.pk): [[c.index, c.verdict] for c in r.cases.order_by("index")] for r in records},
        "accumulated_ms": {each.participation.user.username: each.accumulated_ms for each in accounts},
        "run": None if run is None else [run.pk, run.status, run.verdict],
        "output": "".join(SelfTestOutput.objects.filter(run=run).order_by("pk").values_list("text", flat=True)),
    }


FUNCTIONS: dict[str, Callable[..., Any]] = {function.__name__: function for function in (set_problem, truth)}
