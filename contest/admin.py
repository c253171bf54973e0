"""Django's administration, for everything that has no page of its own.

What the services guard is read-only here: notices, clarifications, records, packages, contestants and
the times of a contest change by the jury's pages alone; what can be changed here goes through a service
too. So no change goes untold to open pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest

from contest.models import (
    AuditEntry,
    Clarification,
    Contest,
    JuryMembership,
    Notice,
    Package,
    Participation,
    Problem,
    Record,
    User,
)
from contest.services.accounts import void_tokens
from contest.services.errors import Refused
from contest.services.problems import arrange_problem
from contest.services.schedule import require_order
from contest.services.settings import TIMES, change_settings, open_contest

if TYPE_CHECKING:  # generic for the type checker only
    _ModelAdmin = admin.ModelAdmin[Any]
    _TabularInline = admin.TabularInline[Any, Any]
    _UserAdmin = UserAdmin[User]
    _ContestForm = forms.ModelForm[Contest]
else:
    _ModelAdmin, _TabularInline, _UserAdmin = admin.ModelAdmin, admin.TabularInline, UserAdmin
    _ContestForm = forms.ModelForm

admin.site.site_header = admin.site.site_title = "Fathom administration"


def _who(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # Django lets nobody else in
    return request.user


class ReadOnly(_ModelAdmin):
    """Looking is possible, changing is not."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(User)
class PeopleAdmin(_UserAdmin):
    list_display = ("username", "display_name", "is_operator", "is_staff", "is_active", "last_login")
    fieldsets = (
        *(_UserAdmin.fieldsets or ()),
        ("Fathom", {"fields": ("display_name", "language", "time_zone", "is_operator")}),
    )

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """What may change the person's rights makes old reconnect tokens worthless."""
        with transaction.atomic():
            super().save_model(request, obj, form, change)
            if change and {"password", "is_active", "is_superuser", "is_operator"} & set(form.changed_data):
                void_tokens(obj)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:
        with transaction.atomic():
            response = super().user_change_password(request, id, form_url)
            user = User.objects.filter(pk=id).first()
            if request.method == "POST" and response.status_code == 302 and user is not None:
                void_tokens(user)
        return response


class JuryInline(_TabularInline):
    model = JuryMembership
    autocomplete_fields = ("user",)
    extra = 0


class ContestForm(_ContestForm):
    def clean(self) -> dict[str, Any]:
        """What the jury's schedule refuses is refused here too, in the same words."""
        data = super().clean() or {}
        starts_at, ends_at, freeze_at = (data.get(name) for name in ("starts_at", "ends_at", "freeze_at"))
        if starts_at and ends_at:
            try:
                require_order(starts_at, ends_at, freeze_at)
            except Refused as refused:
                self.add_error("ends_at" if ends_at <= starts_at else "freeze_at", refused.message)
        return data


@admin.register(Contest)
class ContestAdmin(_ModelAdmin):
    form = ContestForm
    list_display = ("title", "slug", "starts_at", "ends_at", "scoring", "visibility")
    search_fields = ("title", "slug")
    prepopulated_fields = {"slug": ("title",)}
    fields = (
        "title",
        "slug",
        "description",
        ("starts_at", "ends_at", "freeze_at"),
        "scoring",
        "penalty_minutes",
        "feedback",
        "visibility",
        "registration_open",
        "records_open_after_end",
        ("unfrozen_at", "archived_at"),
    )
    inlines = (JuryInline,)

    def get_readonly_fields(self, request: HttpRequest, obj: Contest | None = None) -> tuple[str, ...]:
        """Once there is a contest its times are the jury's page's: a form here would write old ones back."""
        return ("unfrozen_at", "archived_at") if obj is None else ("unfrozen_at", "archived_at", *TIMES)

    def save_model(self, request: HttpRequest, obj: Contest, form: Any, change: bool) -> None:
        """Open pages follow, as after a change by the jury."""
        by = _who(request)
        if change:
            change_settings(obj, by, form.changed_data)
        else:
            open_contest(obj, by)


@admin.register(Problem)
class ProblemAdmin(_ModelAdmin):
    list_display = ("label", "title", "contest", "position", "is_draft")
    list_filter = ("contest",)
    readonly_fields = ("package", "contest")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # a problem begins with its package

    def save_model(self, request: HttpRequest, obj: Problem, form: Any, change: bool) -> None:
        arrange_problem(obj)


@admin.register(Participation)
class ParticipationAdmin(ReadOnly):
    """The jury's page *Contestants* registers, excludes and gives extra time, and the history keeps who did."""

    list_display = ("user", "contest", "state", "extra_time_s", "registered_at")
    list_filter = ("contest", "state")
    search_fields = ("user__username", "user__display_name")


@admin.register(AuditEntry)
class AuditAdmin(ReadOnly):
    list_display = ("at", "contest", "by", "words", "reason")
    list_filter = ("contest", "action")


@admin.register(Record)
class RecordAdmin(ReadOnly):
    list_display = ("pk", "contest", "problem", "user", "language", "status", "verdict", "submitted_at")
    list_filter = ("contest", "status", "verdict", "purpose")
    list_select_related = ("contest", "problem", "user")
    search_fields = ("user__username",)


@admin.register(Notice)
class NoticeAdmin(ReadOnly):
    list_display = ("pk", "contest", "version", "audience", "posted_at", "withdrawn_at")
    list_filter = ("contest",)


@admin.register(Clarification)
class ClarificationAdmin(ReadOnly):
    list_display = ("pk", "contest", "problem", "asker", "asked_at", "answered_at", "is_public")
    list_filter = ("contest", "is_public")


@admin.register(Package)
class PackageAdmin(ReadOnly):
    list_display = ("problem", "version", "source_format", "imported_at", "imported_by")
    list_filter = ("problem__contest",)
