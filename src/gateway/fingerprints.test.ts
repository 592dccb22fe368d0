import assert from "node:assert/strict";
import { test } from "node:test";
import { cardNumber } from "../payment/card.ts";
import { fingerprints } from "./fingerprints.ts";

const [A, B] = ["01970000-0000-7000-8000-00000000000a", "01970000-0000-7000-8000-00000000000b"];
const [VISA, OTHER] = [cardNumber("4111111111111111"), cardNumber("4111111111111112")];

test("a fingerprint is equal for equal numbers of one merchant, in each process, and for nothing else", () => {
  const [one, again, other] = [
    fingerprints(Buffer.from("one")),
    fingerprints(Buffer.from("one")),
    fingerprints(Buffer.from("two")),
  ];
  const first = one(A, VISA);
  assert.equal(again(A.toUpperCase(), cardNumber("4111111111111111")), first);
  const all = [first, one(A, OTHER), one(B, VISA), other(A, VISA), one(A, cardNumber("41111111111111110"))];
  assert.equal(new Set(all).size, all.length);
  for (const text of all) assert.match(text, /^[\w-]{22}$/);
});
