// All rules over the three accounts. Pure: it is handed what was read.

import { checkAcknowledged } from "./acknowledged.ts";
import { checkBooks } from "./books.ts";
import { type Accounts, evidenceOf } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import { checkOutcomes } from "./outcomes.ts";

export function check(accounts: Accounts): readonly Finding[] {
  const evidence = evidenceOf(accounts);
  return [...checkAcknowledged(evidence), ...checkOutcomes(evidence), ...checkBooks(evidence)];
}
