/** The jury console: new questions and what the phase allows appear by themselves; forms do the work. */

import { assistAudience } from "../ui/audience.js";
import { startContestPage } from "../ui/contest_page.js";
import { followQuestions } from "../ui/new_questions.js";
import { refresher } from "../ui/server_html.js";

const page = startContestPage();
followQuestions(page);
assistAudience();
page.onOtherPhase(refresher(location.pathname, "#schedule-actions"));
