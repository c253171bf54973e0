/** Pages outside a contest: only the time zone. */

import { followBrowserZone } from "../ui/times.js";

followBrowserZone();
