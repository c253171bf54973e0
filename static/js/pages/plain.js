/** Pages outside a contest: the time zone, and whose they are. */

import { leaveHint } from "../ui/session_hint.js";
import { followBrowserZone } from "../ui/times.js";

followBrowserZone();
leaveHint();
