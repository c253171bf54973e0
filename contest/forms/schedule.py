"""Forms that change the times and the settings of a contest. What is refused later comes back in the form."""

from __future__ import annotations

from django import forms

from contest.forms.keys import OnceForm
from contest.models import Contest
from contest.services.audit import REASON_LIMIT_CHARS
from contest.services.schedule import MOST_MINUTES


class ReasonForm(forms.Form):
    """An action that needs nothing but, if the jury likes, a reason for the history."""

    reason = forms.CharField(
        required=False, max_length=REASON_LIMIT_CHARS, help_text="For the history; contestants do not see it."
    )


class RejudgeForm(OnceForm, ReasonForm):
    pass


class MinutesForm(OnceForm, ReasonForm):
    minutes = forms.IntegerField(
        min_value=-MOST_MINUTES,
        max_value=MOST_MINUTES,
        initial=15,
        help_text="A negative number makes it earlier.",
    )
    field_order = ("minutes", "reason")


class VisibilityForm(ReasonForm):
    visibility = forms.ChoiceField(choices=Contest.Visibility.choices, label="Who may see it")
    field_order = ("visibility", "reason")


class RegistrationForm(forms.Form):
    is_open = forms.BooleanField(required=False, label="People may register by themselves")


class ScheduleForm(ReasonForm):
    """Times in the viewer's own zone, which the page names."""

    _input = {"type": "datetime-local", "step": "1"}
    starts_at = forms.DateTimeField(label="Start", widget=forms.DateTimeInput(_input, "%Y-%m-%dT%H:%M:%S"))
    ends_at = forms.DateTimeField(label="End", widget=forms.DateTimeInput(_input, "%Y-%m-%dT%H:%M:%S"))
    freeze_at = forms.DateTimeField(
        label="Freeze", required=False, widget=forms.DateTimeInput(_input, "%Y-%m-%dT%H:%M:%S")
    )
    field_order = ("starts_at", "ends_at", "freeze_at", "reason")
