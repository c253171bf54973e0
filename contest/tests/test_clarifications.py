"""Questions reach the jury once; answers reach whom they are meant for."""

from __future__ import annotations

import pytest

from contest import events
from contest.models import Clarification, Contest, Problem, User
from contest.services.clarifications import UNANSWERED_LIMIT, answer_clarification, ask_clarification
from contest.services.errors import Refused
from contest.tests.people import entered

pytestmark = pytest.mark.django_db


def ask(
    contest: Contest, user: User, text: str = "May n be 0?", label: str | None = "A", key: str | None = None
) -> Clarification:
    return ask_clarification(contest, user, problem_label=label, text=text, command_key=key)


def test_the_same_command_asks_once(contest: Contest, alice: User, told: list[events.Event]) -> None:
    first = ask(contest, alice, key="c/announcements/1")
    assert ask(contest, alice, text="May n be 0??", key="c/announcements/1") == first
    assert Clarification.objects.count() == 1
    assert told == [events.ClarificationAsked(first)]


def test_bob_does_not_get_alices_question_by_her_key(contest: Contest, alice: User, bob: User) -> None:
    ask(contest, alice, key="c/announcements/1")
    with pytest.raises(Refused) as refused:
        ask(contest, bob, key="c/announcements/1")
    assert refused.value.code == "bad-request"


def test_mallory_cannot_ask(contest: Contest, mallory: User) -> None:
    with pytest.raises(Refused) as refused:
        ask(contest, mallory)
    assert refused.value.code == "forbidden"


@pytest.mark.parametrize("label", ["Z", "B"])
def test_a_draft_is_refused_in_the_same_words_as_what_does_not_exist(contest: Contest, alice: User, label: str) -> None:
    Problem.objects.create(contest=contest, label="B", title="Secret", is_draft=True)
    with pytest.raises(Refused, match=f"There is no problem {label} in this contest."):
        ask(contest, alice, label=label)


def test_before_the_start_a_problem_is_not_there_but_a_general_question_is_taken(contest: Contest, alice: User) -> None:
    contest.starts_at = contest.ends_at - (contest.ends_at - contest.starts_at) / 2
    contest.save()
    assert ask(contest, alice, label=None).problem is None
    with pytest.raises(Refused, match="no problem A"):
        ask(contest, alice, label="A")


def test_open_questions_are_bounded(contest: Contest, alice: User) -> None:
    for number in range(UNANSWERED_LIMIT):
        ask(contest, alice, text=f"Question {number}")
    with pytest.raises(Refused) as refused:
        ask(contest, alice)
    assert refused.value.code == "busy"


def test_an_answer_is_told_and_the_same_answer_is_not_told_again(
    contest: Contest, alice: User, grace: User, told: list[events.Event]
) -> None:
    question = ask(contest, alice)
    answered = answer_clarification(question, grace, answer="Yes.", is_public=False)
    assert answer_clarification(question, grace, answer="Yes.", is_public=False).version == answered.version == 2
    assert told[1:] == [events.ClarificationAnswered(answered)]


def test_a_public_answer_does_not_become_private(contest: Contest, alice: User, grace: User) -> None:
    question = ask(contest, alice)
    answer_clarification(question, grace, answer="Yes.", is_public=True)
    with pytest.raises(Refused, match="cannot become private"):
        answer_clarification(question, grace, answer="Yes!", is_public=False)


def test_an_answer_that_its_author_does_not_know_of_is_replaced_by_the_second_try_only(
    contest: Contest, alice: User, grace: User, told: list[events.Event]
) -> None:
    admin = User.objects.create_superuser("root")
    question = ask(contest, alice)
    first = answer_clarification(question, grace, answer="Yes.", is_public=False, seen_version=question.version)
    with pytest.raises(Refused, match=f"^{grace.shown_name} has answered this question meanwhile.* Send yours again"):
        answer_clarification(question, admin, answer="No.", is_public=False, seen_version=question.version)
    question.refresh_from_db()
    assert (question.answer, question.answered_by, len(told)) == ("Yes.", grace, 2)
    second = answer_clarification(question, admin, answer="No.", is_public=False, seen_version=first.version)
    assert (second.answer, second.answered_by) == ("No.", admin)


def test_the_same_answer_by_a_press_that_came_twice_is_not_refused(contest: Contest, alice: User, grace: User) -> None:
    question = ask(contest, alice)
    for _ in range(2):
        answered = answer_clarification(question, grace, answer="Yes.", is_public=False, seen_version=1)
    assert answered.version == 2


def test_a_script_that_does_not_say_what_it_has_seen_replaces_the_answer(
    contest: Contest, alice: User, grace: User
) -> None:
    question = ask(contest, alice)
    answer_clarification(question, grace, answer="Yes.", is_public=False)
    assert answer_clarification(question, grace, answer="No.", is_public=False).answer == "No."


def test_contestants_do_not_answer(contest: Contest, alice: User, bob: User) -> None:
    question = ask(contest, alice)
    with pytest.raises(Refused) as refused:
        answer_clarification(question, bob, answer="Yes.", is_public=True)
    assert refused.value.code == "forbidden"


def test_an_answer_is_shown_like_a_notice_and_the_jury_reads_who_it_went_to(
    contest: Contest, alice: User, grace: User
) -> None:
    question = ask_clarification(contest, alice, problem_label=None, text="?", command_key="k")
    answer_clarification(question, grace, answer="**No.** <script>", is_public=False)
    own = entered(alice).get("/contests/cup/").content.decode()
    assert "<strong>No.</strong> &lt;script&gt;" in own
    assert "· to you only" in own
    jurys = entered(grace).get("/contests/cup/").content.decode()
    assert "· to the asker only" in jurys
    assert "· to you only" not in jurys
