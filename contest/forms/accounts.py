"""Forms for signing in, registering and one's own profile."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf.locale import LANG_INFO
from django.contrib.auth.forms import AuthenticationForm, UserCreationForm

from contest.middleware import known_zones
from contest.models import User

if TYPE_CHECKING:  # generic for the type checker only
    _UserCreationForm = UserCreationForm[User]
    _UserForm = forms.ModelForm[User]
else:
    _UserCreationForm, _UserForm = UserCreationForm, forms.ModelForm


class SignInForm(AuthenticationForm):
    error_messages = {
        "invalid_login": "The user name or the password is wrong. Both are case-sensitive.",
        "inactive": "This account is switched off.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "User name"


_JOINERS = "\u200c\u200d"  # some scripts need them


def _printable(name: str) -> str:
    """A name that stays in its own place: marks of direction and the like would draw over other rows."""
    if any(unicodedata.category(sign) in ("Cc", "Cf", "Co", "Cs", "Cn") and sign not in _JOINERS for sign in name):
        raise forms.ValidationError("A name has no invisible characters.")
    return name


class RegisterForm(_UserCreationForm):
    class Meta:
        model = User
        fields = ("username", "display_name")
        labels = {"username": "User name", "display_name": "Name in standings"}
        help_texts = {
            "username": "Letters, digits and @ . + - _",
            "display_name": "Left empty, your user name is shown.",
        }

    def clean_display_name(self) -> str:
        return _printable(self.cleaned_data["display_name"])


class ProfileForm(_UserForm):
    language = forms.ChoiceField(required=False, label="Language of statements")
    time_zone = forms.ChoiceField(required=False, label="Time zone")

    class Meta:
        model = User
        fields = ("display_name", "language", "time_zone")
        labels = {"display_name": "Name in standings"}
        help_texts = {"display_name": "Left empty, your user name is shown."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zones = [("", "As the browser says"), *((zone, zone.replace("_", " ")) for zone in sorted(known_zones()))]
        self.fields["time_zone"] = forms.ChoiceField(
            required=False, label="Time zone", choices=zones, help_text="All times of the site are shown in it."
        )
        self.fields["language"] = forms.ChoiceField(
            required=False,
            label="Language of statements",
            choices=[("", "As the browser asks"), *_languages()],
            help_text="Used where a problem has a statement in it; the pages themselves are in English.",
        )

    def clean_display_name(self) -> str:
        return _printable(self.cleaned_data["display_name"])


def _languages() -> list[tuple[str, str]]:
    """Every language that Django knows a name for, by its own name."""
    named = [(code, info["name_local"]) for code, info in LANG_INFO.items() if "name_local" in info]
    return sorted(named, key=lambda pair: pair[1].casefold())
