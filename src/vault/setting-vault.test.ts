import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { CannotOpen } from "./sealed-bytes.ts";
import { settingVault } from "./setting-vault.ts";

const KEYS = [1, 2].map((id) => ({ id, key: createSecretKey(Buffer.alloc(32, id)) }));
const keyOf = (id: number) => {
  const found = KEYS.find((key) => key.id === id);
  if (found === undefined) throw new CannotOpen("There is no such data key.");
  return found;
};
const vault = settingVault({ toSeal: async () => keyOf(1), toOpen: async (id) => keyOf(id).key });

const PLACE = {
  merchantId: "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77",
  processorId: "0193e5b4-7c1a-7a3e-9d54-5b2f0c8e1a77",
  name: "secret_key",
};

test("a secret opens as it was sealed, whatever JSON it is, and its bytes do not show it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const kept = JSON.parse(JSON.stringify(value)) as unknown;
      assert.deepEqual(await vault.open(await vault.seal(value, PLACE), PLACE), kept);
    }),
  );
  const { sealed } = await vault.seal("sk_live_0123456789", PLACE);
  assert.ok(!sealed.includes("sk_live"));
});

test("it opens in its own place only, under its own key, and not with a bit changed", async () => {
  const sealed = await vault.seal("sk_live_0123456789", PLACE);
  const elsewhere = "0193e5b5-7c1a-7a3e-9d54-5b2f0c8e1a77";
  for (const other of [{ merchantId: elsewhere }, { processorId: elsewhere }, { name: "webhook_secret" }])
    assert.equal(await vault.open(sealed, { ...PLACE, ...other }), undefined, JSON.stringify(other));
  for (const keyId of [2, 3]) assert.equal(await vault.open({ ...sealed, keyId }, PLACE), undefined);
  for (let at = 0; at < sealed.sealed.length; at++) {
    const changed = Buffer.from(sealed.sealed);
    changed[at] = (changed[at] ?? 0) ^ 4;
    assert.equal(await vault.open({ ...sealed, sealed: changed }, PLACE), undefined, `byte ${at}`);
  }
  assert.equal(
    await vault.open(sealed, { ...PLACE, processorId: PLACE.processorId.toUpperCase() }),
    "sk_live_0123456789",
  );
});

test("what is no fault of the secret is thrown", async () => {
  const away = settingVault({
    toSeal: async () => keyOf(1),
    toOpen: async () => {
      throw new Error("the database is away");
    },
  });
  await assert.rejects(away.open(await vault.seal("x", PLACE), PLACE), /the database is away/);
});
