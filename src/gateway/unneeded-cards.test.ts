import assert from "node:assert/strict";
import { test } from "node:test";
import { v7 } from "uuid";
import { approved, conclusion, ended, followUp, intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import { handClock } from "../../test/hand-clock.ts";
import { registerNode } from "../journal/nodes.ts";
import { openJournal } from "../journal/postgres-journal.ts";
import type { FirstOutcome } from "../payment/outcome.ts";
import type { Transaction } from "../payment/transaction.ts";
import { removeUnneededCards } from "./card-numbers.ts";

const START = new Date("2031-03-01T12:00:00Z");
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function withHouse(check: (given: Awaited<ReturnType<typeof house>>) => Promise<void>): Promise<void> {
  const made = await house();
  try {
    await check(made);
  } finally {
    await made.journal.close();
    await made.database.drop();
  }
}

async function house() {
  const database = await freshDatabase();
  const { address, pool } = database;
  const clock = handClock(START);
  const journal = openJournal({ address, pool, clock, node: await registerNode(pool, START) });
  const merchantId = v7();
  await pool`insert into merchant_counters (merchant_id, transactions, newest_at) values (${merchantId}, 0, ${START})`;
  const conclude = (transaction: Transaction, nth: number, outcome: FirstOutcome) => {
    const event = transaction.events[nth];
    assert.ok(event);
    const remedy = outcome.kind === "unanswered" ? "reverse" : null;
    return journal.conclude(conclusion(transaction, event, outcome, { remedy }));
  };
  return {
    database,
    clock,
    journal,
    charged: async (outcome: FirstOutcome | null): Promise<Transaction> => {
      const transaction = intent(merchantId, clock.now());
      await journal.open(transaction, null, { keyId: 1, sealed: Buffer.from("sealed") });
      if (outcome !== null) await conclude(transaction, 0, outcome);
      return transaction;
    },
    voided: async (transaction: Transaction) => {
      const [charge] = transaction.events;
      const event = followUp(transaction, "void", { amount: charge.amount, createdAt: clock.now() });
      await journal.append(merchantId, transaction.id, event, null);
      await conclude({ ...transaction, events: [charge, event] }, 1, approved(clock.now()));
    },
    kept: async ({ id }: Transaction) => (await journal.findSealedCard(merchantId, id)) !== undefined,
    /** All portions that are due. @returns how many */
    look: async () => {
      for (let portions = 1; ; portions++) if (!(await removeUnneededCards({ journal, clock }, pool))) return portions;
    },
  };
}

test("a number goes within the hour after a decline, within a day after a void, 180 days after the last event", () =>
  withHouse(async ({ database, clock, charged, voided, kept, look }) => {
    const declined = await charged(ended("declined", START));
    const unanswered = await charged(ended("unanswered", START));
    const inFlight = await charged(null);
    const [voidedLater, sold] = [await charged(approved(START)), await charged(approved(START))];
    const all = [declined, unanswered, inFlight, voidedLater, sold];
    const stand = async () => Promise.all(all.map(kept));
    await look();
    assert.deepEqual(await stand(), [true, true, true, true, true]);

    clock.set(new Date(START.getTime() + HOUR_MS));
    await look();
    assert.deepEqual(await stand(), [false, true, true, true, true]);

    await voided(voidedLater);
    await database.pool`delete from unresolved`;
    clock.set(new Date(START.getTime() + 2 * HOUR_MS));
    await look();
    assert.deepEqual(await stand(), [false, false, true, true, true], "the reversal was confirmed");

    clock.set(new Date(START.getTime() + HOUR_MS + DAY_MS));
    await look();
    assert.deepEqual(await stand(), [false, false, true, false, true], "what is voided is seen the next day");

    clock.set(new Date(START.getTime() + 180 * DAY_MS - 1));
    await look();
    assert.deepEqual(await stand(), [false, false, true, false, true]);
    clock.set(new Date(START.getTime() + 180 * DAY_MS));
    await look();
    assert.deepEqual(await stand(), [false, false, true, false, false]);
  }));

test("many are looked at in portions, and what was looked at is not looked at again before it is due", () =>
  withHouse(async ({ clock, charged, look }) => {
    await Promise.all(Array.from({ length: 450 }, () => charged(approved(START))));
    clock.set(new Date(START.getTime() + HOUR_MS));
    assert.equal(await look(), 3);
    assert.equal(await look(), 1);
  }));
