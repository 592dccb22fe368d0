// A worker that is away holds up no merchant of another. Started by run.ts.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { JournalUnavailable, JournalUncertain } from "../../src/journal/journal.ts";
import { openJournal, type PostgresJournal } from "../../src/journal/postgres-journal.ts";
import { approved, claim, conclusion, ended, followUp, intent } from "../conformance/intents.ts";
import { freshDatabase } from "../database.ts";
import { handClock } from "../hand-clock.ts";
import { type PostgresInstallation, postgresInstallation } from "../postgres-installation.ts";
import { byWorker, merchantsOfEachWorker } from "./place.ts";
import { LEFT_OUT, worker } from "./worker.ts";

const OF_EACH = 2;
const PATIENCE_MS = 1_500;
const LOOK_EVERY_MS = 200;
const MOST_LOOKS = 150;
const LONGEST_MS = 180_000;

describe("while a worker is away on Citus", { timeout: LONGEST_MS, skip: worker ? false : LEFT_OUT }, () => {
  let installation: PostgresInstallation;
  let journal: PostgresJournal;
  /** Merchants, by where their worker is. */
  let there: readonly string[];
  let away: readonly string[];
  let isBack = true;

  before(async () => {
    installation = postgresInstallation(await freshDatabase());
  });
  after(() => installation.end());
  beforeEach(async () => {
    const { address, pool } = installation;
    const merchants = await merchantsOfEachWorker(pool, OF_EACH, async (id) => installation.addMerchant(id));
    const { id: node } = await installation.join();
    journal = openJournal({
      ...{ address, pool, node, clock: handClock(new Date()), distributed: true },
      ...{ patienceMs: PATIENCE_MS, groupsInFlight: 1 },
    });
    await worker?.kill();
    isBack = false;
    ({ there, away } = await byWorker(pool, merchants));
  });
  afterEach(async () => {
    if (!isBack) await startAgain();
    await journal.close();
  });
  const startAgain = async () => {
    await worker?.start();
    isBack = true;
  };

  const charge = (merchantId = "") => intent(merchantId, new Date());

  test("merchants on the other one are charged, and what nobody answered is left for later", async () => {
    const [merchant = ""] = there;
    const [one, silent] = [intent(merchant, new Date(), { full: true }), charge(merchant)];
    for (const each of [one, silent]) await journal.open(each, claim(uuidv7()));
    assert.equal(await journal.conclude(conclusion(one, one.events[0], approved(new Date()))), "concluded");
    const capture = followUp(one, "capture");
    assert.equal(await journal.append(merchant, one.id, capture, claim(uuidv7())), "appended");
    await journal.defer({ merchantId: merchant, transactionId: one.id, sequence: 2 }, "repeat", new Date(), null);
    assert.deepEqual(
      (await journal.find(merchant, one.id))?.events.map(({ outcome }) => outcome?.kind),
      ["approved", undefined],
    );
    const next = { ...silent.events[0], id: uuidv7(), sequence: 2 };
    const declined = conclusion(silent, silent.events[0], ended("declined", new Date()), { next });
    assert.equal(await journal.conclude(declined), "concluded");
  });

  test("once a write has failed, its merchants are refused before anything is sent; they go on when it is back", async () => {
    const [first = "", second = ""] = away;
    const uncertain = charge(first);
    await assert.rejects(journal.open(uncertain, null), JournalUncertain);
    // There is one writer: whoever holds it is in the way of the others.
    const refused = [charge(second), charge(first)].map((one) =>
      assert.rejects(journal.open(one, null), JournalUnavailable),
    );
    await Promise.all([...refused, ...there.map((id) => journal.open(charge(id), null))]);
    await assert.rejects(journal.find(first, uncertain.id), JournalUnavailable);
    await startAgain();
    for (const id of away) await opened(id);
    assert.equal(await journal.find(first, uncertain.id), undefined);
    const all = [...away, ...there];
    const charged = await installation.pool<{ id: string; number: number }[]>`
      select merchant_id as id, number::int from transactions where merchant_id = any(${all}::uuid[])`;
    assert.deepEqual(charged.map(({ id, number }) => `${id} ${number}`).sort(), all.map((id) => `${id} 1`).sort());
  });

  /** As whoever is refused tries again. */
  async function opened(merchantId: string): Promise<void> {
    for (let looks = 0; ; looks++) {
      try {
        await journal.open(charge(merchantId), null);
        return;
      } catch (fault) {
        if (!(fault instanceof JournalUnavailable) || looks === MOST_LOOKS) throw fault;
        await sleep(LOOK_EVERY_MS);
      }
    }
  }
});
