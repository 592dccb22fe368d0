import assert from "node:assert/strict";
import { test } from "node:test";
import { v7 } from "uuid";
import { conclusion, ended, intent } from "../../test/conformance/intents.ts";
import { installation, record, resultInWords } from "../../test/gateway-in-memory.ts";
import { unreliable } from "../../test/unreliable-journal.ts";
import type { Concluded, Journal } from "../journal/journal.ts";
import { LONGEST_TRYING_MS } from "../payment/going-on.ts";
import { intentsInTurn } from "./intents-in-turn.ts";

const NOW = new Date("2031-05-01T12:00:00Z");

/** A charge that was declined, and the next step of it. */
async function step(journal: Journal, merchantId: string, goesOn = true): Promise<() => Promise<Concluded>> {
  const transaction = intent(merchantId, NOW);
  const [first] = transaction.events;
  await journal.open(transaction, null);
  const next = { ...first, id: v7(), sequence: 2 };
  return () => journal.conclude({ ...conclusion(transaction, first, ended("declined", NOW)), ...(goesOn && { next }) });
}

test("a merchant of which many charges go on has two connections for them, and others' outcomes and steps pass", async () => {
  const { promise: held, resolve: end } = Promise.withResolvers<void>();
  let begun = 0;
  const waits = async () => {
    begun++;
    await held;
  };
  const made = installation([record()]);
  const { parts } = made.join();
  const journal = intentsInTurn(unreliable(parts.journal, { conclude: [waits, waits, "fine", "fine", waits, waits] }));
  const [flooding, other] = [v7(), v7()];
  for (const merchantId of [flooding, other]) made.memory.addMerchant(merchantId);
  const flood = await Promise.all([1, 2, 3, 4].map(() => step(journal, flooding)));
  const [own, outcome, others] = [
    await step(journal, other),
    await step(journal, other, false),
    await step(journal, flooding, false),
  ];
  const flooded = flood.map((one) => one());
  assert.equal(await own(), "concluded");
  assert.equal(await outcome(), "concluded");
  assert.equal(begun, 2, "two of the flood are at the database");
  end();
  assert.deepEqual(await Promise.all(flooded), ["concluded", "concluded", "concluded", "concluded"]);
  assert.equal(await others(), "concluded");
});

test("a charge whose turn to go on does not come in time ends with its decline, which its key keeps", async () => {
  const { promise: held, resolve: end } = Promise.withResolvers<void>();
  let begun = 0;
  const waits = async () => {
    begun++;
    await held;
  };
  let way = async () => {};
  const records = [record({ settings: { timeout_ms: 20_000, declines_with: "05" } }), record()];
  const made = installation(records, { way: () => way() }, { version: 1, rules: [], attemptsAtMost: 2 });
  const { charge } = made.join((journal) => intentsInTurn(unreliable(journal, { conclude: [waits, waits] })));
  const others = [charge(), charge()];
  while (begun < 2) await new Promise(setImmediate);
  const late = new Date(made.clock.now().getTime() + LONGEST_TRYING_MS - 10);
  way = async () => made.clock.set(late);
  const claim = { key: "key", requestHash: Buffer.from("hash") };
  assert.equal(resultInWords(await charge({ claim })), "200 sale 100 declined");
  assert.equal(resultInWords(await charge({ claim })), "replayed 200 sale 100 declined");
  assert.equal(made.books.asked.length, 3, "nobody else was asked");
  end();
  for (const other of others) assert.equal(resultInWords(await other), "200 sale 100 declined, sale 100 approved");
});
