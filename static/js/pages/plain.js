/** Pages outside a contest: the time zone, whose they are, and the menu of the account. */

import { closeAccountMenu } from "../ui/account_menu.js";
import { leaveHint } from "../ui/session_hint.js";
import { followBrowserZone } from "../ui/times.js";

followBrowserZone();
leaveHint();
closeAccountMenu();
