"""Forms about one contestant. Here the history must say why."""

from __future__ import annotations

from django import forms

from contest.forms.keys import OnceForm
from contest.services.audit import REASON_LIMIT_CHARS


class EnterForm(forms.Form):
    username = forms.CharField(label="User name", max_length=150)


class PersonForm(forms.Form):
    reason = forms.CharField(max_length=REASON_LIMIT_CHARS, help_text="For the history; contestants do not see it.")


class ExtraTimeForm(OnceForm, PersonForm):
    minutes = forms.IntegerField(
        min_value=-24 * 60, max_value=24 * 60, initial=10, help_text="A negative number takes time back."
    )
    field_order = ("minutes", "reason")
