// A record of the simulator with these settings, for tests.

import { defaultTerms } from "../../src/payment/account-terms.ts";
import type { ProcessorRecord } from "../../src/payment/processor-record.ts";
import { defaultSchedule } from "../../src/payment/settlement.ts";
import { simulatorKind } from "../../src/processors/simulator/simulator.ts";

export const simulatorRecord = (settings: ProcessorRecord["settings"], currency = "USD"): ProcessorRecord => ({
  id: "019e2f3a-0000-7000-8000-000000000001",
  merchantId: "019e2f3a-0000-7000-8000-000000000002",
  name: "simulator under test",
  kind: simulatorKind.name,
  currency,
  enabled: true,
  inRotation: true,
  requires: { cvv: [], names: false, document: false },
  terms: defaultTerms(currency),
  schedule: defaultSchedule(currency),
  settings,
});
