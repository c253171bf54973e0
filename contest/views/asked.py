"""How an answer is wanted: as a page, or as JSON by a script that stays on its page and says itself what came of it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, JsonResponse

CODE_OF = {403: "forbidden", 404: "not-found", 429: "busy"}
SIGN_IN = "You are signed out in this browser. Sign in again to go on."


def wants_json(request: HttpRequest) -> bool:
    """Asked for it, or sent it."""
    accepted = request.headers.get("Accept", "")
    asked = request.GET.get("format") == "json" or ("application/json" in accepted and "text/html" not in accepted)
    return asked or request.content_type == "application/json"


def error_json(status: int, code: str, message: str, **more: Any) -> JsonResponse:
    """`code` as in error replies of the wire protocol; `message` is for the person who asked."""
    return JsonResponse({"error": {"code": code, "message": message, **more}}, status=status)


def form_errors_json(form: BaseForm, status: int) -> JsonResponse:
    """What is wrong with the form, in the words of its page; `fields` names the places."""
    said = {name: [str(error) for error in errors] for name, errors in form.errors.items()}
    words = " ".join(dict.fromkeys(error for errors in said.values() for error in errors))
    fields = {name: errors for name, errors in said.items() if name != "__all__"}
    return error_json(status, CODE_OF.get(status, "bad-request"), words, fields=fields)


def ask_to_sign_in(request: HttpRequest) -> HttpResponse:
    """The sign-in page, which leads back here; a script is told, so that nothing typed has to leave its page."""
    if wants_json(request):
        return error_json(401, "signed-out", SIGN_IN)
    return redirect_to_login(request.get_full_path())
