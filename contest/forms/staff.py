"""Forms of the staff console."""

from __future__ import annotations

from typing import Any

from django import forms

from contest.forms.keys import once_key
from contest.models import Contest, Notice, NoticeVersion, Problem, User
from contest.packages.archive.caps import DEFAULT_CAPS, MIB
from contest.selectors.contests import contestants_of
from contest.services.clarifications import ANSWER_LIMIT_CHARS
from contest.services.errors import Refused
from contest.services.notices import BODY_LIMIT_CHARS, FORM_KEY_LIMIT_CHARS, TITLE_LIMIT_CHARS
from contest.services.packages import label_in


class NoticeForm(forms.Form):
    title = forms.CharField(max_length=TITLE_LIMIT_CHARS, widget=forms.TextInput(attrs={"dir": "auto"}))
    body = forms.CharField(
        max_length=BODY_LIMIT_CHARS,
        label="Text",
        widget=forms.Textarea(attrs={"rows": 5, "dir": "auto"}),
        help_text="Markdown, with $mathematics$ between dollars.",
    )
    level = forms.ChoiceField(choices=NoticeVersion.Level.choices, required=False)
    problem = forms.ModelChoiceField(
        queryset=Problem.objects.none(),
        required=False,
        to_field_name="label",
        empty_label="the whole contest",
        label="About",
    )
    requires_ack = forms.BooleanField(required=False, label="Everybody must confirm having read it")
    form_key = forms.CharField(required=False, max_length=FORM_KEY_LIMIT_CHARS, widget=forms.HiddenInput)

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.contest = contest
        problem = self.fields["problem"]
        assert isinstance(problem, forms.ModelChoiceField)
        problem.queryset = contest.problems.all()

    def clean_level(self) -> str:
        return self.cleaned_data["level"] or NoticeVersion.Level.INFO

    def once_key(self) -> str | None:
        return once_key(self.cleaned_data["form_key"], *self.notice().values())

    def notice(self) -> dict[str, Any]:
        """What `post_notice` and `edit_notice` take."""
        return {name: self.cleaned_data[name] for name in ("title", "body", "level", "problem", "requires_ack")}


class NewNoticeForm(NoticeForm):
    """With the audience, which an edit does not change: a text that some were not to see stays from them."""

    audience = forms.ChoiceField(choices=Notice.Audience.choices, required=False, label="For")
    recipients = forms.ModelMultipleChoiceField(queryset=User.objects.none(), required=False, to_field_name="username")

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(contest, *args, **kwargs)
        recipients = self.fields["recipients"]
        assert isinstance(recipients, forms.ModelMultipleChoiceField)
        recipients.queryset = contestants_of(contest)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("audience") == Notice.Audience.SOME and not data.get("recipients") and "recipients" in data:
            self.add_error("recipients", "Choose whom it is for.")
        return data

    def notice(self) -> dict[str, Any]:
        """What `post_notice` takes."""
        for_some = self.cleaned_data["audience"] == Notice.Audience.SOME
        return super().notice() | {"audience_users": list(self.cleaned_data["recipients"]) if for_some else None}

    def people(self) -> list[tuple[str, str, bool]]:
        """(user name, shown name, chosen) of everybody who can be chosen; for the template, because a widget takes
        a second for thousands."""
        chosen = set(self["recipients"].value() or ())
        return [(user.username, user.shown_name, user.username in chosen) for user in contestants_of(self.contest)]


class AnswerForm(forms.Form):
    answer = forms.CharField(
        max_length=ANSWER_LIMIT_CHARS,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
        help_text="Markdown, with $mathematics$ between dollars.",
    )
    is_public = forms.BooleanField(required=False, label="Tell everybody")
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)
    """Of the question that this answer was made against; scripts may leave it out."""

    def is_overtaken(self, version: int) -> bool:
        """By an answer that came after the page on which this one was typed."""
        seen = self["version"].value()
        return seen not in (None, "") and str(seen) != str(version)


class TemplatesForm(forms.Form):
    answers = forms.CharField(
        required=False,
        label="Common answers",
        widget=forms.Textarea(attrs={"rows": 6, "dir": "auto"}),
        help_text="One a line. They can be put into an answer by a choice.",
    )

    def sentences(self) -> list[str]:
        return str(self.cleaned_data["answers"]).splitlines()


class PackageForm(forms.Form):
    label = forms.CharField(help_text="A, B, C … An existing label gets the new version of its package.")
    package = forms.FileField(
        label="Package (zip or tar)", help_text=f"At most {DEFAULT_CAPS.archive_bytes // MIB} MiB."
    )

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.contest = contest

    def clean_label(self) -> str:
        try:
            return label_in(self.contest, self.cleaned_data["label"])
        except Refused as refused:
            raise forms.ValidationError(refused.message) from refused
