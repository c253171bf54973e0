/** The list of records. */

import { createRecords } from "../stores/records.js";
import { startContestPage } from "../ui/contest_page.js";
import { showRecordList } from "../ui/record_list.js";

const page = startContestPage();
const followed = page.follow("records", createRecords);
if (followed !== null) showRecordList(followed.store, followed.stream);
