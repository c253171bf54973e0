/** One half of the property tests; see schedules.js. */

import { checkSchedules } from "./schedules.js";

checkSchedules(2);
