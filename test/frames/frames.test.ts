import assert from "node:assert/strict";
import { test } from "node:test";
import { SEED, sized } from "../random.ts";
import { runFrames } from "./frames.ts";

test("random and mutated frames neither crash the link nor are taken for what they are not", () => {
  const frames = sized(10_000, 1_000_000);
  const { sent, decoded, approved } = runFrames(frames, SEED);
  assert.equal(sent, frames);
  assert.ok(decoded > frames / 40 && approved > frames / 1_000, "messages and real approvals are among them");
});
