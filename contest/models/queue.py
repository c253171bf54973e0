"""What a row needs to be its own place in the judge's queue."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class Status(models.TextChoices):
    """How far the judging of a row has come. Only these transitions: forward, or back to QUEUED by a new attempt."""

    QUEUED = "queued", "queued"
    COMPILING = "compiling", "compiling"
    RUNNING = "running", "running"
    FINAL = "final", "final"


class Verdict(models.TextChoices):
    AC = "AC", "accepted"
    WA = "WA", "wrong answer"
    TLE = "TLE", "time limit exceeded"
    MLE = "MLE", "memory limit exceeded"
    OLE = "OLE", "output limit exceeded"
    RE = "RE", "run-time error"
    CE = "CE", "compile error"
    JE = "JE", "judge error"


class QueueClass(models.IntegerChoices):
    """Lower first; within a class first come, first served, but that with live submissions people take turns."""

    LIVE = 0, "live submission"
    SELFTEST = 1, "self-test"
    BACKGROUND = 2, "rejudging and package checks"


class QueueItem(models.Model):
    """Lease and fence of one row. A write that names an older `attempt` changes nothing."""

    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED)
    verdict = models.CharField(max_length=4, choices=Verdict.choices, blank=True, help_text="Empty until final.")
    queue_class = models.PositiveSmallIntegerField(choices=QueueClass.choices, default=QueueClass.LIVE)
    queued_at = models.DateTimeField()
    attempt = models.PositiveIntegerField(default=0, help_text="Fence: grows with every claim.")
    worker = models.CharField(max_length=120, blank=True, help_text="Who holds the lease; empty: nobody.")
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    lost_leases = models.PositiveSmallIntegerField(
        default=0, help_text="Workers that died on it; at 3 it is set aside."
    )
    version = models.PositiveIntegerField(default=1, help_text="Grows with every visible change.")
    compiler_output = models.TextField(blank=True)
    time_ms = models.PositiveIntegerField(null=True, blank=True, help_text="CPU time of the slowest case.")
    memory_kb = models.PositiveIntegerField(null=True, blank=True, help_text="Largest peak over the cases.")

    class Meta:
        abstract = True


IS_FREE = Q(worker="") | Q(lease_expires_at__lt=Now())
"""Of a row that is not final: never claimed, given back, or with a lease that ran out, by the database's clock."""
IS_HELD = ~Q(worker="") & Q(lease_expires_at__gte=Now())
"""The opposite: a worker has it, and its lease has not run out."""
