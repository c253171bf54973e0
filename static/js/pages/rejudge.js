/** Judging again: the progress is looked at while something is being judged. */

import { startContestPage } from "../ui/contest_page.js";
import { followProgress } from "../ui/rejudging.js";

followProgress(startContestPage());
