// The processor records of a month: two accounts in Canadian dollars, one of which captures each authorization once, and
// one in US dollars beside them.

import type { ProcessorRecord } from "../../src/payment/processor-record.ts";
import { record } from "../gateway-in-memory.ts";

const CAD = { auto_capture_at: "20:30", cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" };

export const monthRecords = (merchantId: string, newId: () => string): ProcessorRecord[] =>
  (
    [
      ["CAD", CAD, {}],
      ["CAD", CAD, { multiple_captures: false }],
      ["USD", { ...CAD, auto_capture_at: null }, {}],
    ] as const
  ).map(([currency, schedule, capabilities]) =>
    record({ id: newId(), merchantId, currency, schedule, settings: { timeout_ms: 5_000, ...capabilities } }),
  );
