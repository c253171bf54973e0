/** The jury console: new questions and what the phase allows appear by themselves; forms do the work. */

import { assistAudience } from "../ui/audience.js";
import { find } from "../ui/dom.js";
import { fillCommonAnswers } from "../ui/common_answers.js";
import { startContestPage } from "../ui/contest_page.js";
import { pendingSubmissions } from "../ui/form_submission.js";
import { followQuestions } from "../ui/new_questions.js";
import { followPostedNotices } from "../ui/posted_notices.js";
import { sendForm } from "../ui/send_form.js";
import { followSchedule } from "../ui/schedule_parts.js";

const page = startContestPage();
followQuestions(page);
followPostedNotices(page);
assistAudience();
fillCommonAnswers();
followSchedule(page);
const form = find(document, "#notice-form", HTMLFormElement);
// Not sent by itself: what was to be said in a minute may be wrong in ten.
if (form !== null) {
  const pending = pendingSubmissions(`${page.data.user?.id}/${page.data.contest}/notice`);
  sendForm(page, form, { what: "The notice", look: "see the notices below", patient: false, pending });
}
