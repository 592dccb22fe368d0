// Cards that charges store: written with the intent by each statement that opens transactions, found once the charge is approved, and gone if
// it ends otherwise.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { approved, claim, conclusion, ended, intent } from "../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { ON_CITUS } from "../../test/database-server.ts";
import type { OpeningIntent } from "../journal/journal.ts";
import { registerNode } from "../journal/nodes.ts";
import { openJournal, type PostgresJournal } from "../journal/postgres-journal.ts";
import { listStoredCards, storedCardsIn } from "../journal/stored-cards.ts";
import { settleNewCards } from "./new-cards.ts";

const AT = new Date("2031-01-01T12:00:00Z");
const LATER = new Date("2031-01-01T12:01:30Z");

describe("cards that charges store", () => {
  let database: FreshDatabase;
  let journal: PostgresJournal;
  before(async () => {
    database = await freshDatabase();
    const { address, pool } = database;
    const clock = { now: () => AT };
    journal = openJournal({ address, pool, clock, node: await registerNode(pool, AT), distributed: ON_CITUS });
  });
  after(async () => {
    await journal.close();
    await database.drop();
  });

  const merchant = async (): Promise<string> => {
    const id = v7();
    await database.pool`insert into merchant_counters values (${id}, 0, ${AT})`;
    return id;
  };
  const storing = (merchantId: string): OpeningIntent => {
    const fields = { first_name: "Jane", zip: "95030", shipping_zip: "1" };
    const onFile = { cardId: v7(), stores: true } as const;
    const sealed = { keyId: 3, sealed: Buffer.from("sealed") };
    return { ...intent(merchantId, AT), fields, onFile, newCard: { fingerprint: "f", sealed } };
  };
  const cardIdOf = ({ onFile }: OpeningIntent) => onFile?.cardId ?? assert.fail();
  const found = (charge: OpeningIntent) =>
    storedCardsIn(database.pool, ON_CITUS).find(charge.merchantId, cardIdOf(charge));
  const end = (charge: OpeningIntent, kind: "approved" | "declined" | "unanswered") => {
    const outcome = kind === "approved" ? approved(AT) : ended(kind, AT);
    return journal.conclude(conclusion(charge, charge.events[0], outcome));
  };
  const settle = (now: Date) => settleNewCards({ journal, clock: { now: () => now } }, database.pool);
  const rows = async () => (await database.pool`select id from cards`).length;

  test("alone, in a group, of several merchants, and beside a key that is taken: each with its own card or with none", async () => {
    const [one, other] = [await merchant(), await merchant()];
    await journal.open(intent(one, AT), claim("taken"));
    const groups: readonly (readonly [OpeningIntent, string | null])[][] = [
      [[storing(one), null]],
      [[storing(one), "first"]],
      [
        [storing(one), null],
        [intent(one, AT), null],
        [storing(one), "second"],
      ],
      [
        [storing(one), null],
        [storing(other), null],
        [intent(other, AT), "third"],
      ],
      [
        [storing(one), "taken"],
        [storing(one), "fourth"],
        [intent(one, AT, { full: true }), null],
      ],
    ];
    for (const group of groups) {
      const opened = await Promise.all(
        group.map(([charge, key]) => journal.open(charge, key === null ? null : claim(key))),
      );
      for (const [nth, [charge]] of group.entries()) {
        if (charge.newCard === undefined) continue;
        assert.equal(await found(charge), undefined, "nothing is approved yet");
        const transaction = await journal.find(charge.merchantId, charge.id);
        if (opened[nth] === "key-taken") {
          assert.equal(transaction, undefined);
          continue;
        }
        assert.deepEqual(transaction?.onFile, charge.onFile);
        await end(charge, "approved");
        const card = await found(charge);
        assert.deepEqual(card, {
          ...{ merchantId: charge.merchantId, id: cardIdOf(charge), userId: charge.userId, createdAt: AT },
          ...{
            card: charge.card,
            fingerprint: "f",
            keptBy: null,
            networkTransactionId: null,
            consent: null,
            cardholder: { first_name: "Jane", zip: "95030" },
          },
          sealed: charge.newCard.sealed,
        });
      }
    }
    const taken = groups.at(-1)?.[0]?.[0] ?? assert.fail();
    assert.equal((await database.pool`select id from cards where id = ${cardIdOf(taken)}`).length, 0);
    assert.equal((await listStoredCards(database.pool, other, 1)).total, 1);
  });

  test("what was approved stays, what was declined or never answered goes, and what has not ended waits", async () => {
    await database.pool`delete from cards`;
    const merchantId = await merchant();
    const charges = [storing(merchantId), storing(merchantId), storing(merchantId), storing(merchantId)] as const;
    for (const charge of charges) await journal.open(charge, null);
    const [stays, declined, unanswered, waits] = charges;
    await end(stays, "approved");
    await end(declined, "declined");
    await end(unanswered, "unanswered");
    assert.deepEqual(
      (await listStoredCards(database.pool, merchantId, 1)).cards.map(({ id }) => id),
      [cardIdOf(stays)],
    );
    await settle(AT);
    assert.equal(await rows(), 4, "a minute is left");
    await settle(LATER);
    assert.equal(await rows(), 2);
    const [kept] = await database.pool`select stored_by, look_at from cards where id = ${cardIdOf(stays)}`;
    assert.deepEqual({ ...kept }, { stored_by: null, look_at: null });
    assert.equal(await found(waits), undefined);
    await end(waits, "approved");
    assert.ok(await found(waits));
    await settle(new Date(LATER.getTime() + 120_000));
    assert.equal((await listStoredCards(database.pool, merchantId, 1)).total, 2);
    assert.equal((await database.pool`select id from cards where stored_by is not null`).length, 0);
  });
});
