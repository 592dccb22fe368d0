// What a session has read is not sent to it again while it is the same; whatever changes it, also where no row changed, is sent. Tokens
// know nothing of it.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { archive } from "../../src/archive/archive.ts";
import { erase } from "../../src/archive/erase.ts";
import { Concealed } from "../../src/settings.ts";
import { type Browser, browser } from "../browser.ts";
import { officeOn, SECRET } from "../fixtures/archiving.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, merchantOf, newMerchant, sale } from "./merchant.fixture.ts";

const DAY_MS = 86_400_000;
const LIST = "/api/transactions";
const AUTHOR = { actor: "test", source: "test" };

describe("what a session has read already", () => {
  let gateway: Gateway;
  let merchantId: string;
  let clerk: Browser;
  let operator: Browser;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "faregate-unchanged-"));
    gateway = await startTestGateway({ secret: new Concealed(SECRET) });
    merchantId = gateway.sandbox.merchant_id;
    [clerk, operator] = [browser(gateway), browser(gateway)];
    expectStatus(await clerk.signIn(gateway.sandbox.people.clerk), 201);
    expectStatus(await operator.signIn(gateway.sandbox.people.operator), 201);
  });
  after(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  const charged = (over = {}) => merchantOf(gateway).charged("sale", sale(over));
  const tagOf = async (path: string, by = clerk, more: Record<string, string> = {}): Promise<string> =>
    expectStatus(await by.get(path, more), 200).headers.get("etag") ?? assert.fail(`${path} has no ETag`);
  const again = (path: string, etag: string, by = clerk, more: Record<string, string> = {}) =>
    by.get(path, { ...more, "if-none-match": etag });

  test("is answered without a body, on every page that asks again by itself", async () => {
    const { id } = await charged();
    const ofMerchant = { "faregate-merchant": merchantId };
    for (const [by, path, more] of [
      [clerk, LIST, {}],
      [clerk, `${LIST}?search[status]=unsettled&page=1`, {}],
      [clerk, `${LIST}/${id}`, {}],
      [clerk, "/api/disputes", {}],
      [operator, LIST, ofMerchant],
      [operator, "/operator/unresolved", {}],
      [operator, `/operator/merchants/${merchantId}/card-testing/reports`, {}],
    ] as const) {
      const etag = await tagOf(path, by, more);
      // A proxy that compresses makes the tag a weak one.
      for (const named of [etag, `W/${etag}`, `"other", ${etag}`]) {
        const { status, text, headers } = await again(path, named, by, more);
        assert.deepEqual([status, text, headers.get("etag")], [304, "", etag], path);
        assert.deepEqual([headers.get("content-length"), headers.get("content-type")], [null, null]);
        assert.equal(headers.get("cache-control"), "no-store");
      }
      assert.equal((await again(path, '"other"', by, more)).status, 200);
    }
  });

  test("is sent in full to a token, as before, whatever tag it names", async () => {
    const { id } = await charged();
    for (const path of [LIST, `${LIST}/${id}`]) {
      const etag = await tagOf(path);
      for (const headers of [{}, { "if-none-match": etag }, { "if-none-match": "*" }]) {
        const answer = await gateway.get(path, { headers });
        assert.deepEqual([answer.status, answer.headers.get("etag")], [200, null]);
        assert.equal(answer.headers.get("content-length"), String(Buffer.byteLength(answer.text)));
      }
    }
  });

  test("is sent again once anything of it is otherwise: rows, the time, a dispute, what was erased or archived", async () => {
    const { id } = await charged({ email: "jane@example.com", last_name: "Featherstone" });
    const path = `${LIST}/${id}`;
    const office = officeOn(gateway.pool, { now: () => new Date() });
    const changes: Readonly<Record<string, () => Promise<unknown>>> = {
      "a part is refunded": async () =>
        expectStatus(await merchantOf(gateway).follow(id, "refund", { amount: "1.00" }), 200),
      "a dispute is entered": async () => {
        const json = { transaction_id: id, amount: "2.00", processor_dispute_id: "D-1", reason_code: "13.1" };
        expectStatus(await gateway.operator("POST", `/operator/merchants/${merchantId}/disputes`, json), 201);
      },
      "it settles": async () => {
        const now = new Date(Date.now() + 3 * DAY_MS);
        expectStatus(await gateway.operator("POST", "/operator/clock", { now }), 200);
      },
      "its payer is erased": async () => {
        const payer = { email: "jane@example.com" };
        assert.equal(await erase(office, AUTHOR, { merchantId, folder, payer, keepMeta: false }), 1);
      },
    };
    for (const [what, change] of Object.entries(changes)) {
      const tags = { [LIST]: await tagOf(LIST), [path]: await tagOf(path) };
      await change();
      for (const [asked, etag] of Object.entries(tags)) {
        const { status, body } = await again(asked, etag);
        assert.equal(status, 200, `${what}: ${asked}`);
        assert.deepEqual(body, (await gateway.get(asked)).body, what);
      }
    }
    const idsOf = async () => (await gateway.get(LIST)).body.transactions.map((one: { id: string }) => one.id);
    const before: string[] = await idsOf();
    const tags = new Map<string, string>();
    for (const one of ["", ...before.map((one) => `/${one}`)]) tags.set(one, await tagOf(`${LIST}${one}`));
    await archive(office, AUTHOR, { merchantId, folder, before: new Date(Date.now() + 30 * DAY_MS) });
    const left: string[] = await idsOf();
    assert.ok(left.length < before.length);
    assert.equal(expectStatus(await again(LIST, tags.get("") ?? ""), 200).body.meta.total, left.length);
    for (const one of before)
      assert.equal((await again(`${LIST}/${one}`, tags.get(`/${one}`) ?? "")).status, left.includes(one) ? 304 : 404);
  });

  test("is nothing to who may not read it any more, or looks at another merchant", async () => {
    const other = await newMerchant(gateway, {});
    await charged();
    const etag = await tagOf(LIST, operator, { "faregate-merchant": merchantId });
    assert.equal((await again(LIST, etag, operator, { "faregate-merchant": other.merchantId })).body.meta.total, 0);
    assert.equal((await again(LIST, etag, clerk, { "faregate-merchant": other.merchantId })).status, 404);
    assert.equal((await again("/operator/merchants", "*", clerk)).status, 403);
    expectStatus(await clerk.call("DELETE", "/session"), 204);
    assert.equal((await again(LIST, etag)).status, 401);
  });
});
