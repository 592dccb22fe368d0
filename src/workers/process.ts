// The program of a worker: work.ts, as it ships.

import { work } from "./work.ts";

work({});
