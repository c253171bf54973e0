/** The overview of a contest. */

import { startContestPage } from "../ui/contest_page.js";
import { showNoticeList } from "../ui/notice_list.js";
import { followOwnStates } from "../ui/own_states.js";
import { showQuestionList } from "../ui/questions.js";

const page = startContestPage();
showNoticeList(page.announcements);
showQuestionList(page.announcements);
followOwnStates(page);
