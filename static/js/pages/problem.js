/** A problem: notices about it, editor with drafts, submitting, self-test. */

import { startContestPage } from "../ui/contest_page.js";
import { enableCopyButtons } from "../ui/copy.js";
import { find } from "../ui/dom.js";
import { keepDrafts } from "../ui/drafts.js";
import { pendingSubmissions, sameText } from "../ui/form_submission.js";
import { keepInput } from "../ui/input_draft.js";
import { followLatestRecords } from "../ui/latest_records.js";
import { showNoticeList } from "../ui/notice_list.js";
import { followOpenHours } from "../ui/open_hours.js";
import { openSelfTest } from "../ui/selftest.js";
import { sendForm } from "../ui/send_form.js";
import { openSource } from "../ui/source.js";
import { guideSubmission } from "../ui/submit_form.js";

const page = startContestPage();
showNoticeList(page.announcements);
followLatestRecords(page);
followOpenHours(page);
enableCopyButtons();

const form = find(document, "#submit-form", HTMLFormElement);
const source = form === null ? null : openSource(form);
if (form !== null && source !== null) {
  keepDrafts(form, source);
  guideSubmission(form);
  sendForm(page, form, {
    what: "Your solution", look: "see your latest records below", patient: true,
    pending: pendingSubmissions(form.dataset["draftKey"] ?? ""), isInForm: ({ file, text }) => file === null && sameText(text, source.text()),
  });
  openSelfTest(page, form, source);
  keepInput(form.dataset["draftKey"] ?? "");
}
