"""The form that submits a solution, as text or as a file."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from contest.forms.keys import once_key
from contest.languages import Language, guess_language
from contest.ports import offered_languages
from contest.services.records import KEY_LIMIT_CHARS


class SubmitForm(forms.Form):
    """After `is_valid`, `cleaned_data` has `language`, `source` and `idempotency_key` (or None)."""

    # With a file the language may be left out: the file's name says it.
    language = forms.ChoiceField(required=False)
    source = forms.CharField(required=False, strip=False, widget=forms.Textarea)
    source_file = forms.FileField(required=False, label="Or a file")
    # Scripts name their own key; the page's form has one for each page that was loaded.
    idempotency_key = forms.CharField(required=False, max_length=KEY_LIMIT_CHARS, widget=forms.HiddenInput)
    form_key = forms.CharField(required=False, max_length=KEY_LIMIT_CHARS, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.limit_kib = settings.SOURCE_LIMIT_BYTES // 1024
        self.offered: tuple[Language, ...] = offered_languages()
        choices = [(language.id, language.name) for language in self.offered]
        self.fields["language"] = forms.ChoiceField(required=False, choices=choices)

    def clean_source(self) -> str:
        # Browsers send the lines of a text area with CR LF; the receipt is for what was typed.
        return str(self.cleaned_data["source"]).replace("\r\n", "\n")

    def clean_source_file(self) -> str | None:
        """The file's text, byte for byte, or None without a file."""
        file: UploadedFile[bytes] | None = self.cleaned_data["source_file"]
        if file is None:
            return None
        if (file.size or 0) > settings.SOURCE_LIMIT_BYTES:
            raise forms.ValidationError(f"The file is larger than {settings.SOURCE_LIMIT_BYTES // 1024} KiB.")
        try:
            return bytes(file.read()).decode()
        except UnicodeDecodeError:
            raise forms.ValidationError("The file is not text in UTF-8.") from None

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        text, file = data.get("source") or "", data.get("source_file")
        if "source_file" in data and file is None and not text.strip():
            self.add_error("source", "Write a program or choose a file.")
        if file is not None:
            data["source"] = file
        data["language"] = data.get("language") or self._language_of_file()
        if not data["language"] and "language" not in self.errors:
            self.add_error("language", "Choose a language.")
        form_key = once_key(data.get("form_key") or "", data.get("language"), data.get("source"))
        data["idempotency_key"] = data.get("idempotency_key") or form_key
        return data

    def _language_of_file(self) -> str:
        file = self.files.get("source_file")
        guessed = guess_language(file.name or "", self.offered) if file else None
        return guessed.id if guessed else ""
