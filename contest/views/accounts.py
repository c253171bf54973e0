"""Signing in and out, registering, one's own profile."""

from __future__ import annotations

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import LoginView
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from contest.forms.accounts import ProfileForm, RegisterForm, SignInForm
from contest.known_browsers import remember
from contest.models import User
from contest.newcomers import may_open_account
from contest.services import accounts
from contest.views.common import SeeOther, next_or
from contest.views.errors import too_many_accounts

BACKEND = "django.contrib.auth.backends.ModelBackend"


class SignIn(LoginView):
    """Django's own, which leads only to addresses of this site; wrong passwords are counted by django-axes."""

    template_name = "accounts/login.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        remember(response, form.get_user())
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(registration=settings.FATHOM.registration, **kwargs)


sign_in = SignIn.as_view()


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return SeeOther(next_or(request, "/"))


@require_GET
def session(request: HttpRequest) -> HttpResponse:
    """For open pages: whom this browser is signed in as now, and the token that goes with their forms."""
    user = request.user if isinstance(request.user, User) else None
    said = {"id": user.pk, "name": user.shown_name} if user else None
    response = JsonResponse({"user": said, "csrf": get_token(request)})
    response["Cache-Control"] = "no-store"
    return response


@sensitive_post_parameters()
def register(request: HttpRequest) -> HttpResponse:
    if not settings.FATHOM.registration:
        raise Http404("Accounts of this site are made by its organisers.")
    if request.user.is_authenticated:
        return SeeOther("/")
    form = RegisterForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        if not may_open_account(request):
            return too_many_accounts(request)
        user = form.save(commit=False)
        accounts.open_account(user)
        login(request, user, backend=BACKEND)
        response = SeeOther(next_or(request, "/"))
        remember(response, user)
        return response
    return render(request, "accounts/register.html", {"form": form, "next": next_or(request, "")})


@login_required
def profile(request: HttpRequest) -> HttpResponse:
    # A second instance: a form that is refused must not change the name in the page's own head.
    user = User.objects.get(pk=cast(User, request.user).pk)
    form = ProfileForm(request.POST if request.method == "POST" else None, instance=user)
    if request.method == "POST" and form.is_valid():
        accounts.save_profile(form.save(commit=False))
        messages.success(request, "Your profile is saved.")
        return SeeOther("/accounts/profile/")
    return render(request, "accounts/profile.html", {"form": form})


@sensitive_post_parameters()
@login_required
def password(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    form = PasswordChangeForm(user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        accounts.change_password(user, form.cleaned_data["new_password1"])
        update_session_auth_hash(request, user)
        messages.success(request, "Your password is changed; you are signed out everywhere else.")
        return SeeOther("/accounts/profile/")
    return render(request, "accounts/password.html", {"form": form})
