// The program of a worker: work.ts, as it ships.

import "../debugger-signal.ts";
import { work } from "./work.ts";

work({});
