/** The jury's page of the schedule: what another member does, or the clock, is shown by itself. */

import { startContestPage } from "../ui/contest_page.js";
import { followSchedule } from "../ui/schedule_parts.js";

followSchedule(startContestPage());
