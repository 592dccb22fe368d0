// Three accounts that agree: a sale that was partly refunded, an auth that was never answered and taken back, a declined
// sale, one that was not sent, and an auth that was captured by itself. Tests make them disagree.

import { rrnOf } from "../../../src/processors/iso8583/messages/envelope.ts";
import type { Booked, JournalEvent, JournalKey, JournalOutcome } from "../accounts.ts";
import type { Request } from "../notes.ts";
import type { Accounts } from "./evidence.ts";

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
export interface Draft {
  requests: Mutable<Request>[];
  events: Mutable<JournalEvent>[];
  keys: JournalKey[];
  booked: Mutable<Booked>[];
}

const PROCESSOR = "host-1";
const TERMINAL = "TERM0001";
const at = (second: number): Date => new Date(Date.UTC(2030, 0, 1, 12, 0, second));

interface Step {
  readonly type: JournalEvent["type"];
  readonly amount: bigint;
  readonly kind: JournalOutcome["kind"];
  readonly code: string;
  /** Whether the host has booked it. */
  readonly booked?: boolean;
  readonly automatic?: boolean;
}

export function agreeing(): Draft {
  const draft: Draft = { requests: [], events: [], keys: [], booked: [] };
  const approved = { kind: "approved", code: "00", booked: true } as const;
  add(draft, "1", [
    { type: "sale", amount: 1_000n, ...approved },
    { type: "refund", amount: 400n, ...approved },
  ]);
  add(draft, "2", [{ type: "auth", amount: 2_000n, kind: "unanswered", code: "91", booked: true }]);
  add(draft, "3", [{ type: "sale", amount: 300n, kind: "declined", code: "05", booked: true }]);
  add(draft, "4", [{ type: "sale", amount: 500n, kind: "not-sent", code: "91" }]);
  add(draft, "5", [
    { type: "auth", amount: 700n, ...approved },
    { type: "capture", amount: 700n, ...approved, automatic: true },
  ]);
  return draft;
}

function add(draft: Draft, id: string, steps: readonly Step[]): void {
  const shown: object[] = [];
  for (const [index, { type, amount, kind, code, booked = false, automatic = false }] of steps.entries()) {
    const sequence = index + 1;
    const place = { id: `event-${id}-${sequence}`, transactionId: id, sequence };
    const answeredByHost = kind === "approved" || kind === "declined";
    const hostId = answeredByHost ? `acq-${id}-${sequence}` : null;
    const outcome = {
      kind,
      code,
      authCode: kind === "approved" ? "A1" : null,
      processorTransactionId: hostId,
      at: at(2),
    };
    const ipAddress = automatic ? null : "203.0.113.7";
    draft.events.push({
      ...place,
      type,
      amount,
      processorId: PROCESSOR,
      ipAddress,
      reversal: false,
      createdAt: at(1),
      outcome,
      failedLate: null,
    });
    const reference = rrnOf(place.id);
    const line = {
      book: TERMINAL,
      reference,
      amount,
      transaction: id,
      authCode: "A1",
      id: hostId ?? "x",
    };
    if (booked) draft.booked.push({ ...line, at: at(1), operation: type, code: kind === "declined" ? code : "00" });
    if (kind === "unanswered") draft.booked.push({ ...line, at: at(2), operation: "reversal", code: "00" });
    if (automatic) continue;
    shown.unshift({
      ...{ id: place.id, event_type: type, success: kind === "approved", processor_code: code },
      amount: `${amount / 100n}.${String(amount % 100n).padStart(2, "0")}`,
    });
    const key = `key-${id}-${sequence}`;
    draft.keys.push({ key, transactionId: id, sequence });
    const operation = type;
    const text = JSON.stringify({ transaction: { id, events: shown } });
    const answer =
      kind === "not-sent"
        ? { node: 0, status: 503, replayed: true, text: "" }
        : { node: 0, status: 200, replayed: false, text };
    draft.requests.push({ key, operation, path: `/${type}`, body: {}, twice: false, answers: [answer] });
  }
}

export const accountsOf = (draft: Draft): Accounts => ({
  ...draft,
  books: new Map([[PROCESSOR, { name: TERMINAL, referenceOf: rrnOf }]]),
});
