/** A problem for the jury: what the import of its package said. */

import { startContestPage } from "../ui/contest_page.js";
import { followReport } from "../ui/report.js";

startContestPage();
followReport();
