/** The jury console: new questions and what the phase allows appear by themselves; forms do the work. */

import { assistAudience } from "../ui/audience.js";
import { fillCommonAnswers } from "../ui/common_answers.js";
import { startContestPage } from "../ui/contest_page.js";
import { followQuestions } from "../ui/new_questions.js";
import { followSchedule } from "../ui/schedule_parts.js";

const page = startContestPage();
followQuestions(page);
assistAudience();
fillCommonAnswers();
followSchedule(page);
