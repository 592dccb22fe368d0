// moov-io/iso8583 (Go) as the acquirer's host: after a course of payments both sides' books are equal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { compareBooks } from "./course.ts";
import { startedIfHad, startMoovHost } from "./hosts.ts";

test("every payment comes to the same in the host's books and in the gateway's", async (t) => {
  const host = await startedIfHad(startMoovHost, (why) => t.skip(why));
  if (host === undefined) return;
  t.after(() => host.stop());
  const writing = { framing: "binary-2", digits: "ascii", bitmap: "hex" } as const;
  const { transactions, ended } = await compareBooks(host, writing);
  assert.ok(transactions > 50);
  for (const type of ["sale", "auth", "capture", "void", "refund"])
    for (const how of ["approved", "declined"]) assert.ok((ended[`${type} ${how}`] ?? 0) > 0, `${type} ${how}`);
  for (const type of ["sale", "auth"]) assert.ok((ended[`${type} error`] ?? 0) > 0, `${type} unanswered`);
});
