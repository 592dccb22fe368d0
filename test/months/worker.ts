// A thread that runs months.

import { workOff } from "../simulation/property.ts";
import { memoryMonthHouse } from "./house.ts";
import { runMonth } from "./month.ts";
import { postgresMonthHouses } from "./postgres-house.ts";
import { month } from "./steps.ts";

await workOff({
  values: month,
  inMemory: async () => memoryMonthHouse(),
  inDatabase: postgresMonthHouses,
  run: runMonth,
  slowInDatabase: true,
});
