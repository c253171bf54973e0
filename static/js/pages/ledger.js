/** The page of one notice for the jury. */

import { startContestPage } from "../ui/contest_page.js";
import { followLedger } from "../ui/ledger.js";

followLedger(startContestPage());
