// The suite that every implementation of the open authorizations passes: what waits to be captured by itself is taken by
// one node at a time, at its time, until it was looked at.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import type { DueCapture, OpenAuthorizations } from "../../src/journal/auto-capture-rows.ts";
import type { Journal } from "../../src/journal/journal.ts";
import type { FirstOutcome } from "../../src/payment/outcome.ts";
import type { Transaction } from "../../src/payment/transaction.ts";
import { at } from "../transactions.ts";
import { approved, conclusion, ended, intent } from "./intents.ts";

export interface OpenSubject {
  readonly journal: Journal;
  /** Two nodes. */
  readonly nodes: readonly [OpenAuthorizations, OpenAuthorizations];
  newMerchant(): Promise<string>;
  setCaptureTime(record: Omit<DueCapture, "dueAt">, dueAt: Date | null): Promise<void>;
  end(): Promise<void>;
}

const MOST = 100;
/** What nothing became of. */
export const NOTHING = { over: [], tried: [], resting: [], left: [] };
const EVENING = at("1 20:30");
const NEXT_EVENING = at("2 20:30");
const idsOf = (transactions: readonly Transaction[]): string[] => transactions.map(({ id }) => id).sort();

/** Registers the tests. `open` is called anew for each of them; each has a record that is due in the evening. */
export function openAuthorizationsConformance(name: string, open: () => Promise<OpenSubject>): void {
  const rule = (title: string, check: (subject: OpenSubject, due: DueCapture) => Promise<void>) =>
    void test(title, async () => {
      const subject = await open();
      try {
        const processorId = intent(uuidv7(), at("1 12:00")).events[0].processorId;
        const due = { merchantId: await subject.newMerchant(), processorId, dueAt: EVENING };
        await subject.setCaptureTime(due, EVENING);
        await check(subject, due);
      } finally {
        await subject.end();
      }
    });

  describe(`${name} as open authorizations`, () => {
    rule("records are due from their time on, in the order of time", async ({ nodes: [open], ...subject }, first) => {
      const second = { ...first, processorId: uuidv7(), dueAt: at("1 20:31") };
      await subject.setCaptureTime(second, second.dueAt);
      const dueBy = async (time: string) =>
        (await open.due(at(time))).filter(({ merchantId }) => merchantId === first.merchantId);
      assert.deepEqual(await dueBy("1 20:29:59.999"), []);
      assert.deepEqual(await dueBy("1 20:30"), [first]);
      assert.deepEqual(await dueBy("1 20:31"), [first, second]);
      await subject.setCaptureTime(first, null);
      await subject.setCaptureTime(second, NEXT_EVENING);
      assert.deepEqual(await dueBy("1 23:59"), []);
    });

    rule("a record is put off once, by whoever saw the time that it was due", async ({ nodes, ...subject }, due) => {
      const [open, other] = nodes;
      await open.putOff(due, NEXT_EVENING);
      await other.putOff(due, at("9 20:30"));
      assert.deepEqual(await open.due(NEXT_EVENING), [{ ...due, dueAt: NEXT_EVENING }]);
      await subject.setCaptureTime(due, null);
      await open.putOff({ ...due, dueAt: NEXT_EVENING }, at("3 20:30"));
      assert.deepEqual(await open.due(at("9 20:30")), []);
    });

    rule("a record is not put off while any of its time are left, be they leased or released", async (subject, due) => {
      const [open, other] = subject.nodes;
      const { id } = await authorized(subject, due, "1 12:00");
      await authorized(subject, due, "1 20:30");
      const mine = async () => (await open.due(EVENING)).some(({ merchantId }) => merchantId === due.merchantId);
      await open.lease(due, MOST);
      for (const looked of [{ ...NOTHING, left: [id] }, NOTHING]) {
        await other.putOff(due, NEXT_EVENING);
        assert.equal(await mine(), true);
        await open.release(due, looked);
      }
      await open.release(due, { ...NOTHING, tried: [id] });
      await other.putOff(due, NEXT_EVENING);
      assert.equal(await mine(), false);
    });

    rule("what was authorized before the time is taken, whole; at it and after it not yet", async (subject, due) => {
      const [first, second] = [
        await authorized(subject, due, "1 12:00"),
        await authorized(subject, due, "1 20:29:59.999"),
      ];
      await authorized(subject, due, "1 20:30");
      await authorized(subject, due, "1 20:31");
      const taken = await subject.nodes[0].lease(due, MOST);
      assert.deepEqual(idsOf(taken), idsOf([first, second]));
      assert.deepEqual(
        taken.find(({ id }) => id === first.id),
        await subject.journal.find(due.merchantId, first.id),
      );
    });

    const without = { awaitsCapture: false };

    rule("what is not captured by itself, or was not approved, is not leased", async (subject, due) => {
      for (const outcome of [approved(at("1 12:00")), ended("declined", at("1 12:00"))])
        await authorized(subject, due, "1 12:00", without, outcome);
      assert.deepEqual(await subject.nodes[0].lease(due, MOST), []);
    });

    rule("what was authorized while the record had no time is gathered when it has one", async (subject, due) => {
      const [open, other] = subject.nodes;
      const [before, after] = [
        await authorized(subject, due, "1 12:00", without),
        await authorized(subject, due, "1 20:30", without),
      ];
      await authorized(subject, due, "1 12:00", without, ended("declined", at("1 12:00")));
      await authorized(subject, { ...due, processorId: uuidv7() }, "1 12:00", without);
      await authorized(subject, { ...due, merchantId: await subject.newMerchant() }, "1 12:00", without);
      await open.gather(due);
      const taken = await open.lease(due, MOST);
      assert.deepEqual(idsOf(taken), [before.id]);
      await other.gather(due);
      assert.deepEqual(await other.lease(due, MOST), [], "what one has leased is not gathered for another");
      await open.release(due, { ...NOTHING, over: [before.id] });
      await subject.setCaptureTime(due, NEXT_EVENING);
      assert.deepEqual(idsOf(await other.lease({ ...due, dueAt: NEXT_EVENING }, MOST)), [after.id]);
    });

    rule("another record's and another merchant's are not leased", async (subject, due) => {
      const other = { ...due, merchantId: await subject.newMerchant() };
      await authorized(subject, other, "1 12:00");
      await authorized(subject, due, "1 12:00");
      const empty = { ...due, processorId: uuidv7() };
      await subject.setCaptureTime(empty, EVENING);
      assert.deepEqual(await subject.nodes[0].lease(empty, MOST), []);
      assert.equal((await subject.nodes[0].lease(due, MOST)).length, 1);
    });

    rule("of a record that was switched off or has another time by now nothing is leased", async (subject, due) => {
      const [open] = subject.nodes;
      const { id } = await authorized(subject, due, "1 12:00");
      for (const time of [null, NEXT_EVENING]) {
        await subject.setCaptureTime(due, time);
        assert.deepEqual(await open.lease(due, MOST), []);
      }
      assert.deepEqual(idsOf(await open.lease({ ...due, dueAt: NEXT_EVENING }, MOST)), [id]);
    });

    rule("what one has leased nobody else leases, and the others know of it", async (subject, due) => {
      const [open, other] = subject.nodes;
      await authorized(subject, due, "1 12:00");
      assert.equal(await other.leasedByOthers(due), false);
      const taken = await open.lease(due, MOST);
      await open.renew(due, idsOf(taken));
      assert.deepEqual(await other.lease(due, MOST), []);
      assert.equal(await other.leasedByOthers(due), true);
    });

    rule("nodes that lease at once share, and no more than asked for", async (subject, due) => {
      const all = await Promise.all(Array.from({ length: 20 }, () => authorized(subject, due, "1 12:00")));
      const taken = await Promise.all([...subject.nodes, ...subject.nodes].map((node) => node.lease(due, 4)));
      assert.ok(taken.every(({ length }) => length <= 4));
      const rest = await subject.nodes[0].lease(due, MOST);
      assert.deepEqual(idsOf([...taken.flat(), ...rest]), idsOf(all));
    });

    rule(
      "given back: what is over goes, what was tried waits for the next time, the rest does not",
      async (subject, due) => {
        const [open, other] = subject.nodes;
        const [over, tried, left] = await Promise.all(
          Array.from({ length: 3 }, () => authorized(subject, due, "1 12:00")),
        );
        assert.ok(over && tried && left);
        await open.lease(due, MOST);
        await open.release(due, { ...NOTHING, over: [over.id], tried: [tried.id], left: [left.id] });
        assert.equal(await other.leasedByOthers(due), false);
        assert.deepEqual(idsOf(await other.lease(due, MOST)), [left.id]);
        await other.release(due, { ...NOTHING, left: [left.id] });
        await subject.setCaptureTime(due, NEXT_EVENING);
        assert.deepEqual(idsOf(await other.lease({ ...due, dueAt: NEXT_EVENING }, MOST)), idsOf([tried, left]));
      },
    );

    rule(
      "given back to rest: nobody who asks for rested ones leases it before, and nobody puts the record off",
      async (subject, due) => {
        const [open, other] = subject.nodes;
        const until = at("1 20:30:10");
        const [soon, later] = [await authorized(subject, due, "1 12:00"), await authorized(subject, due, "1 12:00")];
        const rests = [
          { id: later.id, until: at("1 20:31") },
          { id: soon.id, until },
        ];
        await open.lease(due, MOST);
        await open.release(due, { ...NOTHING, resting: rests });
        assert.equal(await other.leasedByOthers(due), false);
        assert.deepEqual(await other.lease(due, MOST, at("1 20:30:09.999")), []);
        await other.putOff(due, NEXT_EVENING);
        assert.deepEqual(idsOf(await other.lease(due, MOST, until)), [soon.id]);
        assert.deepEqual(idsOf(await open.lease(due, MOST)), [later.id], "who does not ask for rested ones leases all");
        await open.release(due, { ...NOTHING, left: [soon.id, later.id] });
        assert.deepEqual(idsOf(await open.lease(due, MOST, EVENING)), idsOf([soon, later]), "it rests once");
      },
    );

    rule("given back by one who has lost it to another, it is still over", async (subject, due) => {
      const { id } = await authorized(subject, due, "1 12:00");
      const [open, other] = subject.nodes;
      await open.lease(due, MOST);
      await other.release(due, { ...NOTHING, over: [id] });
      await open.release(due, { ...NOTHING, left: [id] });
      assert.deepEqual(await open.lease(due, MOST), []);
    });
  });
}

async function opened({ journal }: OpenSubject, { merchantId, processorId }: DueCapture, time: string) {
  const transaction = intent(merchantId, at(time));
  const event = { ...transaction.events[0], type: "auth" as const, processorId };
  await journal.open({ ...transaction, events: [event] }, null);
  return { ...transaction, events: [event] } as const;
}

async function authorized(
  subject: OpenSubject,
  due: DueCapture,
  time: string,
  given = { awaitsCapture: true },
  outcome: FirstOutcome = approved(at(time)),
): Promise<Transaction> {
  const transaction = await opened(subject, due, time);
  await subject.journal.conclude(conclusion(transaction, transaction.events[0], outcome, given));
  return transaction;
}
