// What the console's data layer keeps of what it has read, and until when.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import {
  becomeNobody,
  becomeSession,
  becomeToken,
  lookAtMerchant,
  type Session,
} from "../../console/src/api/session.ts";
import { readAgain } from "../../console/src/api/unchanged.ts";

const LIST = "/api/transactions";
const session = (id: string): Session => ({
  person: { id, name: "Jane", email: "jane@example.com", role: "operator", merchant_id: null, second_factor: false },
  rights: ["read"],
  must: null,
  mode: "sandbox",
  csrf_token: "none",
});

/** As a gateway whose bodies are their own tags. */
const answering =
  (body: string, tag: string | null = `"${body}"`) =>
  async (headers: Readonly<Record<string, string>>) => {
    named.push(headers["if-none-match"]);
    if (tag !== null && headers["if-none-match"] === tag) return new Response(null, { status: 304 });
    return new Response(body, { status: 200, headers: tag === null ? {} : { etag: tag } });
  };
const named: (string | undefined)[] = [];
const read = async (body: string, path = LIST, tag?: string | null) =>
  (await readAgain(path, answering(body, tag))).text();

beforeEach(() => {
  becomeNobody();
  becomeSession(session("jane"));
  named.length = 0;
});

test("what came last is shown while the gateway says that it is the same, and what is new as soon as it is not", async () => {
  for (const body of ["one", "one", "one", "two", "two", "one"]) assert.equal(await read(body), body);
  assert.deepEqual(named, [undefined, '"one"', '"one"', '"one"', '"two"', '"two"']);
});

test("each address is known by itself, and of many the one that was read last", async () => {
  for (let nth = 0; nth <= 16; nth++) await read(`page ${nth}`, `${LIST}?page=${nth}`);
  await read("page 16", `${LIST}?page=16`);
  await read("page 0", `${LIST}?page=0`);
  assert.deepEqual(named.slice(-2), ['"page 16"', undefined]);
});

test("what has no tag is not kept: to tokens the gateway gives none", async () => {
  becomeToken("fg_test_1");
  for (const body of ["one", "two"]) assert.equal(await read(body, LIST, null), body);
  assert.deepEqual(named, [undefined, undefined]);
});

test("it is forgotten once somebody else is signed in, nobody is, or another merchant is looked at", async () => {
  for (const change of [
    () => becomeSession(session("john")),
    () => becomeNobody("idle"),
    () => lookAtMerchant("another"),
  ]) {
    becomeSession(session("jane"));
    await read("one");
    named.length = 0;
    change();
    await read("one");
    assert.deepEqual(named, [undefined]);
  }
});

test("what comes after its asker has left is not kept for the next one", async () => {
  await readAgain(LIST, async (headers) => {
    becomeSession(session("john"));
    return answering("one")(headers);
  });
  await read("one");
  assert.deepEqual(named, [undefined, undefined]);
});

test("faults come through, and do not take what was known with them", async () => {
  await read("one");
  const fault = await readAgain(LIST, async () => new Response("{}", { status: 503, headers: { etag: '"no"' } }));
  assert.equal(fault.status, 503);
  assert.equal(await read("one"), "one");
  assert.equal(named.at(-1), '"one"');
});
