/** One record. */

import { createRecord } from "../stores/record.js";
import { startContestPage } from "../ui/contest_page.js";
import { enableCopyButtons } from "../ui/copy.js";
import { showRecord } from "../ui/record_detail.js";
import { followRejudging } from "../ui/record_revival.js";

const page = startContestPage();
const followed = page.follow("record", createRecord);
if (followed !== null) {
  showRecord(followed.store);
  followRejudging(page, followed.store);
}
enableCopyButtons();
