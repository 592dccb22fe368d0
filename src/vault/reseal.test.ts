import assert from "node:assert/strict";
import { createSecretKey, randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { v7 } from "uuid";
import { cardNumber } from "../payment/card.ts";
import type { DataKeys } from "./data-keys.ts";
import { resealAll, type SealedRow, type SealedRows } from "./reseal.ts";
import { type RowOfTransaction, vault } from "./vault.ts";

const [OLD, NEW] = [1, 2];
/** As in reseal.ts. */
const PORTION = 500;
const NUMBER = cardNumber("4111111111111111");

/** Rows under the old key, in memory, and a vault that seals under the new one. */
async function sealedUnderOldKey(count: number) {
  const keys = new Map([OLD, NEW].map((id) => [id, createSecretKey(randomBytes(32))]));
  let newest = OLD;
  const keyOf = (id: number) => keys.get(id) ?? assert.fail(`no key ${id}`);
  const dataKeys: DataKeys = {
    toSeal: async () => ({ id: newest, key: keyOf(newest) }),
    toOpen: async (id) => keyOf(id),
  };
  const cards = vault(dataKeys);
  const rows: SealedRow<RowOfTransaction>[] = [];
  for (let nth = 0; nth < count; nth++) {
    const place = { merchantId: v7(), transactionId: v7() };
    rows.push({ ...place, ...(await cards.seal(NUMBER, place)) });
  }
  newest = NEW;
  const placeOf = (transactionId: string | undefined) => rows.findIndex((row) => row.transactionId === transactionId);
  const stored: SealedRows<RowOfTransaction> = {
    after: async (row, most) => {
      const from = placeOf(row?.transactionId) + 1;
      return rows.slice(from, from + most);
    },
    replace: async (anew) => {
      for (const { keyBefore, ...row } of anew) {
        assert.equal(keyBefore, OLD);
        rows[placeOf(row.transactionId)] = row;
      }
    },
  };
  return { cards, rows, stored };
}

describe("a walk leaves no card number under a retired key", () => {
  for (const count of [0, 1, PORTION - 1, PORTION, PORTION + 1, 2 * PORTION, 2 * PORTION + 1])
    test(`of ${count}, in portions of ${PORTION}`, async () => {
      const { cards, rows, stored } = await sealedUnderOldKey(count);
      const told: number[] = [];
      const walked = await resealAll(cards, stored, new Set([OLD]), ({ looked }) => told.push(looked));
      assert.deepEqual(walked, { looked: count, resealed: count, broken: [] });
      assert.deepEqual(
        told,
        Array.from({ length: Math.floor(count / PORTION) }, (_, nth) => (nth + 1) * PORTION),
      );
      assert.ok(rows.every(({ keyId }) => keyId === NEW));
      for (const row of rows.slice(-2)) assert.equal((await cards.open(row, row)).reveal(), NUMBER.reveal());
    });

  test("what does not open is told and stays as it is, and all others are sealed anew", async () => {
    const { cards, rows, stored } = await sealedUnderOldKey(PORTION + 2);
    const broken = [rows[0], rows[PORTION]].map((row) => row ?? assert.fail());
    for (const { sealed } of broken) sealed[20] = (sealed[20] ?? 0) ^ 1;
    const before = broken.map(({ sealed }) => Buffer.from(sealed));
    const walked = await resealAll(cards, stored, new Set([OLD]), () => undefined);
    assert.deepEqual(walked, {
      looked: PORTION + 2,
      resealed: PORTION,
      broken: broken.map(({ merchantId, transactionId }) => ({ merchantId, transactionId })),
    });
    assert.deepEqual(
      rows.filter(({ keyId }) => keyId === OLD).map(({ sealed }) => Buffer.from(sealed)),
      before,
    );
  });

  test("what is under a key that stays is left alone", async () => {
    const { cards, rows, stored } = await sealedUnderOldKey(3);
    const before = [...rows];
    const walked = await resealAll(cards, stored, new Set([NEW]), () => undefined);
    assert.deepEqual(walked, { looked: 3, resealed: 0, broken: [] });
    assert.deepEqual(rows, before);
  });
});
