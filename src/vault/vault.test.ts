import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { dataKeyStore } from "../journal/data-keys.ts";
import { cardNumber } from "../payment/card.ts";
import { Secret } from "../payment/secret.ts";
import { dataKeys } from "./data-keys.ts";
import { fixedMasterKeys, localMasterKey } from "./master-key.ts";
import { CannotOpen } from "./sealed-bytes.ts";
import { type Vault, vault } from "./vault.ts";

const NUMBER = cardNumber("4111111111111111");
const MASTER = localMasterKey(randomBytes(32));
const row = () => ({ merchantId: v7(), transactionId: v7() });

describe("the vault", () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const store = () => dataKeyStore(database.pool, () => new Date());
  const newVault = (masterKeys = fixedMasterKeys(MASTER)): Vault => vault(dataKeys(store(), masterKeys));

  test("a number sealed by one node is opened by another, and by one that starts later", async () => {
    const place = row();
    for (const digits of ["41111111", "4111111111111111", "6304000000000000000"]) {
      const sealed = await newVault().seal(cardNumber(digits), place);
      assert.equal((await newVault().open(sealed, place)).reveal(), digits);
      assert.ok(!sealed.sealed.includes(digits.slice(0, 6)));
    }
  });

  test("a byte flipped anywhere is found: in key id, version, vector, tag, ciphertext, merchant or transaction", async () => {
    const cards = newVault();
    let tried = 0;
    while (tried < 1000) {
      const place = row();
      const card = await cards.seal(NUMBER, place);
      const bit = 1 << Math.floor(Math.random() * 8);
      for (let at = 0; at < card.sealed.length; at++) {
        const sealed = Buffer.from(card.sealed);
        sealed[at] = (sealed[at] ?? 0) ^ bit;
        await assert.rejects(cards.open({ ...card, sealed }, place), CannotOpen, `byte ${at}`);
        tried++;
      }
      const keyId = card.keyId ^ bit;
      await assert.rejects(cards.open({ ...card, keyId }, place), CannotOpen, `key ${keyId}`);
      await assert.rejects(cards.open(card, { ...place, merchantId: flipped(place.merchantId) }), CannotOpen);
      await assert.rejects(cards.open(card, { ...place, transactionId: flipped(place.transactionId) }), CannotOpen);
      tried += 3;
      assert.equal((await cards.open(card, place)).reveal(), NUMBER.reveal());
    }
  });

  test("a stored card's number does not open as a transaction's, nor the other way round, whatever their ids", async () => {
    const cards = newVault();
    const [merchantId, id] = [v7(), v7()];
    const [ofCard, ofTransaction] = [
      { merchantId, cardId: id },
      { merchantId, transactionId: id },
    ];
    const [card, transaction] = [await cards.seal(NUMBER, ofCard), await cards.seal(NUMBER, ofTransaction)];
    assert.equal((await cards.open(card, ofCard)).reveal(), NUMBER.reveal());
    await assert.rejects(cards.open(card, ofTransaction), CannotOpen);
    await assert.rejects(cards.open(transaction, ofCard), CannotOpen);
    await assert.rejects(cards.open(card, { merchantId, cardId: flipped(id) }), CannotOpen);
    await assert.rejects(cards.open(card, { merchantId: flipped(merchantId), cardId: id }), CannotOpen);
  });

  test("a processor's token is never taken for a number, nor a number for a token; sealed again, each is what it was", async () => {
    const cards = newVault();
    const place = { merchantId: v7(), cardId: v7() };
    // All digits, as Adyen's older ones are.
    for (const text of ["pm_1NxYz", "8415718415172204", "token:x"]) {
      const token = await cards.reseal(await cards.sealToken(new Secret("processor token", text), place), place);
      assert.equal((await cards.openToken(token, place)).reveal(), text);
      await assert.rejects(cards.open(token, place), (fault: Error) => !fault.message.includes(text));
    }
    const number = await cards.reseal(await cards.seal(NUMBER, place), place);
    assert.equal((await cards.open(number, place)).reveal(), NUMBER.reveal());
    await assert.rejects(cards.openToken(number, place), CannotOpen);
  });

  test("rows that change places do not open, nor under the other key where there are two", async () => {
    const cards = newVault();
    const [one, other] = [row(), row()];
    const sealed = await cards.seal(NUMBER, one);
    await assert.rejects(cards.open(sealed, other), CannotOpen);
    await assert.rejects(cards.open(sealed, { ...one, merchantId: other.merchantId }), CannotOpen);
    await database.pool`update data_keys set retired_at = now()`;
    const later = await newVault().seal(NUMBER, one);
    assert.notEqual(later.keyId, sealed.keyId);
    await assert.rejects(cards.open({ ...later, keyId: sealed.keyId }, one), CannotOpen);
    assert.equal((await cards.open(later, one)).reveal(), NUMBER.reveal());
  });

  test("a fault of opening names neither the number nor the bytes", async () => {
    const cards = newVault();
    const place = row();
    const card = await cards.seal(NUMBER, place);
    const fault = await cards.open(card, row()).catch((error: unknown) => error);
    assert.ok(fault instanceof CannotOpen);
    for (const secret of [NUMBER.reveal(), card.sealed.toString("hex"), card.sealed.toString("base64")])
      assert.ok(!JSON.stringify([fault.message, fault.stack]).includes(secret));
  });

  test("without the master key that wrapped the data key nothing opens, with it as a previous one all does", async () => {
    const place = row();
    const card = await newVault().seal(NUMBER, place);
    const other = localMasterKey(randomBytes(32));
    await assert.rejects(newVault(fixedMasterKeys(other)).open(card, place), CannotOpen);
    assert.equal((await newVault(fixedMasterKeys(other, MASTER)).open(card, place)).reveal(), NUMBER.reveal());
  });
});

const flipped = (uuid: string): string => {
  const at = Math.floor(Math.random() * 8);
  return uuid.slice(0, at) + (Number.parseInt(uuid.charAt(at), 16) ^ 1).toString(16) + uuid.slice(at + 1);
};
