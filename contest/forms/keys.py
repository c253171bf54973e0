"""Keys by which a form that was sent twice does its work once."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any

from django import forms

from contest.services.notices import FORM_KEY_LIMIT_CHARS


def once_key(form_key: str, *content: object) -> str | None:
    """A key for this content of this form: 64 hex digits, or None without a `form_key`.

    A double click and a repeated request have both in common. A page that comes back by the back
    button keeps its form's key, so the key alone would swallow what is typed into it then.
    """
    if not form_key:
        return None
    return hashlib.sha256(json.dumps([form_key, *map(str, content)]).encode()).hexdigest()


class OnceForm(forms.Form):
    """A form that acts once however often it is sent; its page shows the hidden `form_key`."""

    form_key = forms.CharField(
        required=False, max_length=FORM_KEY_LIMIT_CHARS, widget=forms.HiddenInput, initial=lambda: uuid.uuid4().hex
    )


def with_once_key(form: forms.Form, *about: object) -> dict[str, Any]:
    """What was typed into a valid form, and `once_key` for it and what it is `about`; None for other forms."""
    data = dict(form.cleaned_data)
    form_key = data.pop("form_key", "")
    return {**data, "once_key": once_key(form_key, *about, *(data[name] for name in sorted(data)))}
