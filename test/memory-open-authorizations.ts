// What waits to be captured by itself, in memory and as simple as can be: for simulations. It passes the same suite as the
// rows in PostgreSQL (test/conformance/open-authorizations.ts).

import type { DueCapture, OpenAuthorizations } from "../src/journal/auto-capture-rows.ts";
import type { Conclusion, Journal } from "../src/journal/journal.ts";
import type { Transaction } from "../src/payment/transaction.ts";

type RecordOf = Omit<DueCapture, "dueAt">;
type Find = (merchantId: string, transactionId: string) => Promise<Transaction | undefined>;

export interface MemoryOpenAuthorizations {
  /** As one node sees it. */
  join(find: Find): OpenAuthorizations;
  /** Notes what awaits its capture, where the journal in PostgreSQL does so together with the outcome. */
  around(journal: Journal): Journal;
  setCaptureTime(record: RecordOf, dueAt: Date | null): void;
  /** As when the leases of a node that died have passed. */
  letGo(): void;
}

interface Row {
  /** Else its record had no time of capture then. */
  waits: boolean;
  readonly transactionId: string;
  readonly authorizedAt: Date;
  leasedBy: OpenAuthorizations | null;
  triedFor: Date | null;
  restsUntil: Date | null;
}

const nameOf = ({ merchantId, processorId }: RecordOf): string => `${merchantId} ${processorId}`;

export function memoryOpenAuthorizations(): MemoryOpenAuthorizations {
  const times = new Map<string, DueCapture>();
  const rows = new Map<string, Map<string, Row>>();
  const rowsOf = (record: RecordOf): Map<string, Row> => {
    const found = rows.get(nameOf(record)) ?? new Map<string, Row>();
    rows.set(nameOf(record), found);
    return found;
  };
  /** At that time still. */
  const isDue = (due: DueCapture): boolean => times.get(nameOf(due))?.dueAt.getTime() === due.dueAt.getTime();
  const ofThisTime = (due: DueCapture): Row[] =>
    [...rowsOf(due).values()].filter(
      ({ waits, authorizedAt, triedFor }) =>
        waits && authorizedAt < due.dueAt && (triedFor === null || triedFor < due.dueAt),
    );

  const note = ({ merchantId, processorId, transactionId, eventType, outcome, awaitsCapture }: Conclusion) => {
    if (eventType !== "auth" || outcome.kind !== "approved") return;
    const untouched = { leasedBy: null, triedFor: null, restsUntil: null };
    const row = { waits: awaitsCapture, transactionId, authorizedAt: outcome.at, ...untouched };
    rowsOf({ merchantId, processorId }).set(transactionId, row);
  };

  const join = (find: Find): OpenAuthorizations => {
    const open: OpenAuthorizations = {
      leaseMs: 6_000,
      due: async (by) =>
        [...times.values()].filter(({ dueAt }) => dueAt <= by).sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime()),
      dueOfThoseThere: (by) => open.due(by),
      gather: async (due) => {
        for (const row of rowsOf(due).values()) row.waits = true;
      },
      lease: async (due, most, rested) => {
        const isFree = ({ leasedBy, restsUntil }: Row) =>
          leasedBy === null && (restsUntil === null || rested === undefined || restsUntil <= rested);
        const taken = isDue(due) ? ofThisTime(due).filter(isFree).slice(0, most) : [];
        for (const row of taken) row.leasedBy = open;
        const found = await Promise.all(taken.map(({ transactionId }) => find(due.merchantId, transactionId)));
        return found.filter((transaction) => transaction !== undefined);
      },
      renew: async () => undefined,
      release: async (due, { over, tried, resting, left }) => {
        const ofRecord = rowsOf(due);
        for (const id of over) ofRecord.delete(id);
        for (const id of [...tried, ...resting.map(({ id }) => id), ...left]) {
          const row = ofRecord.get(id);
          if (row === undefined) continue;
          row.leasedBy = null;
          row.restsUntil = resting.find((one) => one.id === id)?.until ?? null;
          if (tried.includes(id)) row.triedFor = due.dueAt;
        }
      },
      leasedByOthers: async (due) => ofThisTime(due).some(({ leasedBy }) => leasedBy !== null),
      putOff: async (due, next) => {
        const now = times.get(nameOf(due));
        if (now !== undefined && isDue(due) && ofThisTime(due).length === 0)
          times.set(nameOf(due), { ...now, dueAt: next });
      },
    };
    return open;
  };

  return {
    join,
    around: (journal) => ({
      ...journal,
      conclude: async (conclusion) => {
        const concluded = await journal.conclude(conclusion);
        if (["concluded", "conflict", "limit-reached"].includes(concluded)) note(conclusion);
        return concluded;
      },
    }),
    setCaptureTime: (record, dueAt) => {
      if (dueAt === null) times.delete(nameOf(record));
      else times.set(nameOf(record), { ...record, dueAt });
    },
    letGo: () => {
      for (const ofRecord of rows.values()) for (const row of ofRecord.values()) row.leasedBy = null;
    },
  };
}
