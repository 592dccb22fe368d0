import assert from "node:assert/strict";
import { test } from "node:test";
import { runFrames } from "./frames.ts";

test("forty thousand random and mutated frames neither crash the link nor are taken for what they are not", () => {
  const { sent, decoded, approved } = runFrames(40_000, 1);
  assert.equal(sent, 40_000);
  assert.ok(decoded > 1_000 && approved > 100, "messages and real approvals are among them");
});
