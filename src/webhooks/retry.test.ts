import assert from "node:assert/strict";
import { test } from "node:test";
import { PAUSES_MS, sequelOf } from "./retry.ts";
import type { Reply } from "./send.ts";

const answered = (status: number, retryAfterMs = 0): Reply => ({ kind: "answered", status, retryAfterMs });
const SILENT: Reply = { kind: "unanswered", why: "ECONNREFUSED" };

test("every status from 200 to 299 is a success, and no other is", () => {
  const kinds = (statuses: readonly number[]) => statuses.map((status) => sequelOf(answered(status), 1, 0).kind);
  assert.deepEqual(kinds([200, 201, 202, 204, 299]), Array(5).fill("delivered"));
  const others = [100, 199, 300, 301, 302, 307, 400, 401, 404, 409, 411, 429, 500, 503, 599];
  assert.deepEqual(
    kinds(others),
    others.map(() => "again"),
  );
});

test("the pauses are those of Standard Webhooks, each up to a tenth longer", () => {
  const seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
  for (const [index, pause] of seconds.entries()) {
    assert.deepEqual(sequelOf(SILENT, index + 1, 0), { kind: "again", pauseMs: pause * 1_000 });
    const longest = sequelOf(SILENT, index + 1, 0.999_999);
    assert.ok(longest.kind === "again" && longest.pauseMs > pause * 1_099 && longest.pauseMs < pause * 1_100);
  }
  assert.equal(PAUSES_MS.length, seconds.length);
});

test("after the tenth attempt it is over, unless that one was a success", () => {
  assert.equal(sequelOf(answered(500), 9, 0).kind, "again");
  assert.equal(sequelOf(answered(200), 10, 0).kind, "delivered");
  const reason = "It failed 10 times over three days, the last time with: ECONNREFUSED.";
  assert.deepEqual(sequelOf(SILENT, 10, 0), { kind: "over", reason });
});

test("410 is the end at once", () => {
  assert.deepEqual(sequelOf(answered(410), 1, 0), { kind: "over", reason: "It answered 410 (gone)." });
});

test("a longer wait that 429 or 503 asks for counts, a shorter one does not", () => {
  for (const status of [429, 503]) {
    assert.deepEqual(sequelOf(answered(status, 5_001), 1, 0), { kind: "again", pauseMs: 5_001 });
    assert.deepEqual(sequelOf(answered(status, 4_999), 1, 0), { kind: "again", pauseMs: 5_000 });
    assert.deepEqual(sequelOf(answered(status, 1e12), 1, 0), { kind: "again", pauseMs: 86_400_000 });
  }
  assert.deepEqual(sequelOf(answered(500, 60_000), 1, 0), { kind: "again", pauseMs: 5_000 });
});
