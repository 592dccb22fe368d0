// The processor records of every simulated merchant: three currencies, and processors that can do more or less.

import type { ProcessorRecord } from "../../src/payment/processor-record.ts";
import type { Schedule } from "../../src/payment/settlement.ts";
import { record } from "../gateway-in-memory.ts";

const DEFAULT: Schedule = { auto_capture_at: null, cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" };
export const SCHEDULES: readonly [Schedule, ...Schedule[]] = [
  DEFAULT,
  { ...DEFAULT, cutoff_at: "18:00", settled_at: "22:00", visible_at: "22:20" },
  { ...DEFAULT, cutoff_at: "12:00", settled_at: "12:00", visible_at: "12:00" },
];

/** Its money has no hundredths, which the API counts it in. */
const YEN: readonly [string, object] = ["JPY", {}];
const KINDS: readonly (readonly [string, object])[] = [
  ["USD", {}],
  ["USD", { partial_void: false }],
  ["USD", { multiple_captures: false, refund_before_settlement: false }],
  ["CAD", {}],
  ["CAD", { voids_whole_payments_only: true }],
  ["CAD", { multiple_captures: false }],
  // As Adyen is.
  [
    "USD",
    {
      ...{ partial_void: false, refund_before_settlement: false },
      ...{ voids_whole_payments_only: true, refunds_captured_authorizations: true },
    },
  ],
  YEN,
];

export const recordsOf = (merchantId: string, newId: () => string): ProcessorRecord[] =>
  KINDS.map(([currency, capabilities]) =>
    record({ id: newId(), merchantId, currency, schedule: DEFAULT, settings: { timeout_ms: 5_000, ...capabilities } }),
  );

/** What the model knows of a record. */
export function abilitiesOf({ settings }: ProcessorRecord) {
  return {
    partialVoid: settings.partial_void !== false,
    multipleCaptures: settings.multiple_captures !== false,
    earlyRefund: settings.refund_before_settlement !== false,
    wholePaymentVoids: settings.voids_whole_payments_only === true,
    earlyRefundOfCaptures: settings.refunds_captured_authorizations === true,
  };
}
