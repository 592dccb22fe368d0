// Prints the tables of docs/card-testing.md: node bin/run.mjs test/card-testing/run.ts [days]

import { DEFAULT_CARD_TESTING } from "../../src/payment/card-testing.ts";
import { ATTACKS, NOT_STOPPED } from "./attacks.ts";
import { attackTable, FULL_DAYS, ordinaryTable } from "./figures.ts";
import { thresholdTable } from "./thresholds.ts";

const days = Number(process.argv[2] ?? FULL_DAYS);
const print = (rows: readonly string[]) => console.log(`${rows.join("\n")}\n`);
print(await attackTable(ATTACKS, DEFAULT_CARD_TESTING));
print(await attackTable(NOT_STOPPED, DEFAULT_CARD_TESTING));
print(await ordinaryTable(days, DEFAULT_CARD_TESTING));
print(await thresholdTable(1));
