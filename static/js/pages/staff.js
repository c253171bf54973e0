/** The jury console: says when there are new questions; forms do the work. */

import { startContestPage } from "../ui/contest_page.js";
import { sayNewQuestions } from "../ui/new_questions.js";

sayNewQuestions(startContestPage());
