/** Pages of a contest whose own content stands still: only what every page does. */

import { startContestPage } from "../ui/contest_page.js";

startContestPage();
