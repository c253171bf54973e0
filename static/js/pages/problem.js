/** A problem: notices about it, editor with drafts, submitting, self-test. */

import { startContestPage } from "../ui/contest_page.js";
import { enableCopyButtons } from "../ui/copy.js";
import { find } from "../ui/dom.js";
import { keepDrafts } from "../ui/drafts.js";
import { followLatestRecords } from "../ui/latest_records.js";
import { showNoticeList } from "../ui/notice_list.js";
import { followOpenHours } from "../ui/open_hours.js";
import { openSelfTest } from "../ui/selftest.js";
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
  guideSubmission(form, source);
  openSelfTest(page, form, source);
}
