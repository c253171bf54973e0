"""The rows behind everything: one module a subject. `contest.services` are their only writers."""

from contest.models.alarms import JudgeAlarms
from contest.models.audit import AuditEntry
from contest.models.clarifications import Clarification
from contest.models.contests import Contest, JuryMembership, Participation
from contest.models.notices import Notice, NoticeReceipt, NoticeRecipient, NoticeReposting, NoticeVersion
from contest.models.problems import Blob, Package, PackageTest, Problem
from contest.models.records import Record, RecordCase, Rejudging
from contest.models.selftests import SelfTestOutput, SelfTestRun
from contest.models.users import User

__all__ = [
    "AuditEntry",
    "Blob",
    "Clarification",
    "Contest",
    "JudgeAlarms",
    "JuryMembership",
    "Notice",
    "NoticeReceipt",
    "NoticeRecipient",
    "NoticeReposting",
    "NoticeVersion",
    "Package",
    "PackageTest",
    "Participation",
    "Problem",
    "Record",
    "RecordCase",
    "Rejudging",
    "SelfTestOutput",
    "SelfTestRun",
    "User",
]
