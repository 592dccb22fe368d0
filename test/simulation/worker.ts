// A thread that runs histories.

import { runHistory } from "./history.ts";
import { memoryHouse } from "./house.ts";
import { postgresHouses } from "./postgres-house.ts";
import { workOff } from "./property.ts";
import { history } from "./steps.ts";

await workOff({ values: history, inMemory: async () => memoryHouse(), inDatabase: postgresHouses, run: runHistory });
