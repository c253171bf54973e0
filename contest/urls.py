"""Addresses of the pages. Scripts, bookmarks and tests rely on them, so an address once given stays."""

from __future__ import annotations

from django.urls import path

from contest.views import (
    accounts,
    answers,
    contests,
    home,
    notices,
    operations,
    own_time,
    packages,
    people,
    problems,
    records,
    rejudging,
    schedule,
    staff,
    standings,
)

_CONTEST = "contests/<slug:slug>/"
_PROBLEM = f"{_CONTEST}problems/<str:label>/"
_STAFF = "staff/contests/<slug:slug>/"

urlpatterns = [
    path("", home.home, name="home"),
    path("accounts/login/", accounts.sign_in, name="sign-in"),
    path("accounts/logout/", accounts.sign_out, name="sign-out"),
    path("accounts/session/", accounts.session, name="session"),
    path("accounts/register/", accounts.register, name="register"),
    path("accounts/profile/", accounts.profile, name="profile"),
    path("accounts/password/", accounts.password, name="password"),
    path(_CONTEST, contests.contest_page, name="contest"),
    path(f"{_CONTEST}register/", contests.take_part, name="take-part"),
    path(f"{_CONTEST}unregister/", contests.leave, name="leave"),
    path(f"{_CONTEST}clarifications/", contests.ask, name="ask"),
    path(f"{_CONTEST}notices/confirm/", contests.confirm, name="confirm"),
    path(f"{_CONTEST}time/", own_time.own_time, name="own-time"),
    path(f"{_CONTEST}records/", records.record_list, name="records"),
    path(f"{_CONTEST}standings/", standings.standings, name="standings"),
    path(_PROBLEM, problems.problem_page, name="problem"),
    path(f"{_PROBLEM}submit/", problems.submit, name="submit"),
    path(f"{_PROBLEM}statement.pdf", problems.statement_pdf, name="statement-pdf"),
    path(f"{_PROBLEM}images/<path:name>", problems.image, name="statement-image"),
    path(f"{_PROBLEM}samples/<int:index>.in", problems.sample_file, {"kind": "input"}, name="sample-input"),
    path(f"{_PROBLEM}samples/<int:index>.ans", problems.sample_file, {"kind": "answer"}, name="sample-answer"),
    path("records/<int:record_id>/", records.record_page, name="record"),
    path(_STAFF, staff.console, name="staff"),
    path(f"{_STAFF}notices/", notices.notices, name="staff-notices"),
    path(f"{_STAFF}notices/<int:notice_id>/", notices.notice_page, name="staff-notice"),
    path(f"{_STAFF}notices/<int:notice_id>/edit/", notices.edit, name="staff-notice-edit"),
    path(f"{_STAFF}notices/<int:notice_id>/again/", notices.again, name="staff-notice-again"),
    path(f"{_STAFF}notices/<int:notice_id>/withdraw/", notices.withdraw, name="staff-notice-withdraw"),
    path(f"{_STAFF}clarifications/<int:clarification_id>/answer/", answers.answer, name="staff-answer"),
    path(f"{_STAFF}packages/", packages.upload, name="staff-upload"),
    path(f"{_STAFF}problems/<str:label>/", packages.report, name="staff-problem"),
    path(f"{_STAFF}problems/<str:label>/show/", packages.show, name="staff-problem-show"),
    path(f"{_STAFF}problems/<str:label>/hide/", packages.hide, name="staff-problem-hide"),
    path(f"{_STAFF}problems/<str:label>/delete/", packages.delete, name="staff-problem-delete"),
    path(f"{_STAFF}answers/", answers.common, name="staff-answers"),
    path(f"{_STAFF}schedule/", schedule.schedule, name="staff-schedule"),
    path(f"{_STAFF}schedule/<slug:action>/", schedule.act, name="staff-schedule-act"),
    path(f"{_STAFF}time/", own_time.times, name="staff-times"),
    path(f"{_STAFF}time/grant/", own_time.grant, name="staff-times-grant"),
    path(f"{_STAFF}time/<int:user_id>/", own_time.time_of, name="staff-time"),
    path(f"{_STAFF}unfreeze/", schedule.unfreeze, name="staff-unfreeze"),
    path(f"{_STAFF}close/", schedule.close, name="staff-close"),
    path(f"{_STAFF}people/", people.contestants, name="staff-people"),
    path(f"{_STAFF}people/enter/", people.register_somebody, name="staff-people-enter"),
    path(f"{_STAFF}people/<int:user_id>/", people.contestant, name="staff-person"),
    path(f"{_STAFF}people/<int:user_id>/<slug:action>/", people.act, name="staff-person-act"),
    path(f"{_STAFF}rejudge/", rejudging.rejudging, name="staff-rejudge"),
    path("staff/operations/", operations.operations, name="operations"),
]
