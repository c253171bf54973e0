"""Answering questions, and the sentences that the jury has at hand for it."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse

from contest.forms.staff import AnswerForm, TemplatesForm
from contest.models import Clarification
from contest.services.answer_templates import set_answer_templates
from contest.services.clarifications import answer_clarification
from contest.services.errors import Refused
from contest.views.common import SeeOther, Visit, in_contest, refusal_status, staff_only, takes_form_of
from contest.views.staff import answer_form, console_path, render_console


@takes_form_of("staff", "slug")
@in_contest
@staff_only
def answer(visit: Visit, clarification_id: int) -> HttpResponse:
    """Send the answer, or, with `fill`, only put a common answer into the form (for pages without scripts)."""
    clarification = Clarification.objects.filter(contest=visit.contest, pk=clarification_id).first()
    if clarification is None:
        raise Http404("There is no such question in this contest.")
    if "fill" in visit.request.POST:
        return _filled(visit, clarification)
    form = AnswerForm(visit.request.POST, auto_id=f"id_%s_{clarification_id}")
    if not form.is_valid():
        return render_console(visit, answer_forms={clarification_id: form}, status=400)
    user, data = visit.require_user(), form.cleaned_data
    try:
        answer_clarification(
            clarification, user, answer=data["answer"], is_public=data["is_public"], seen_version=data["version"]
        )
    except Refused as refused:
        form.add_error(None, refused.message)
        return render_console(visit, answer_forms={clarification_id: form}, status=refusal_status(refused))
    messages.success(visit.request, "The answer is sent.")
    return SeeOther(f"{console_path(visit)}#clarifications")


@takes_form_of("staff", "slug")
@in_contest
@staff_only
def common(visit: Visit) -> HttpResponse:
    """Replace the common answers."""
    form = TemplatesForm(visit.request.POST)
    if not form.is_valid():
        return render_console(visit, templates_form=form, status=400)
    try:
        set_answer_templates(visit.contest, visit.require_user(), form.sentences())
    except Refused as refused:
        form.add_error("answers", refused.message)
        return render_console(visit, templates_form=form, status=refusal_status(refused))
    messages.success(visit.request, "The common answers are saved.")
    return SeeOther(f"{console_path(visit)}#clarifications")


def _filled(visit: Visit, row: Clarification) -> HttpResponse:
    """The chosen sentence below what was typed; nothing is sent."""
    post = visit.request.POST
    typed, chosen = post.get("answer", "").strip(), post.get("template", "").strip()
    row.answer, row.is_public = "\n".join(filter(None, [typed, chosen])), "is_public" in post
    form = answer_form(row)
    form.initial["version"] = post.get("version")
    form.fields["answer"].widget.attrs["autofocus"] = True
    return render_console(visit, answer_forms={row.pk: form})
