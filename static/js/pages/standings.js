/** The standings. */

import { startContestPage } from "../ui/contest_page.js";
import { followStandings } from "../ui/standings.js";

followStandings(startContestPage());
