import assert from "node:assert/strict";
import { test } from "node:test";
import { PROCESSOR_RESPONSE } from "../../test/transactions.ts";
import type { News } from "../payment/news.ts";
import { keptNotification } from "./kept-notification.ts";

const HEARD = { id: "REFUND_FAILED:8835:true", occurredAt: new Date("2031-05-01T12:00:00Z"), about: null };
const GIVEN = "card 4111 1111 1111 1111\u0000 is lost";
const KEPT = "card **** **** **** ****  is lost";

/** The same news in these words, of each kind that has any. */
const newsIn = (words: string): readonly News[] => [
  { kind: "succeeded", processorResponse: { ...PROCESSOR_RESPONSE, message: words } },
  { kind: "failed", processorResponse: { ...PROCESSOR_RESPONSE, detail: words }, category: "refused" },
  { kind: "dispute", reference: "D1", payment: null, report: { order: 1, reason: words } },
];

test("a notification is kept without control characters and card numbers, in what it says and in what follows from it", () => {
  const kept = newsIn(KEPT);
  for (const [place, news] of newsIn(GIVEN).entries())
    assert.deepEqual(keptNotification({ ...HEARD, news, said: GIVEN }, undefined), {
      ...HEARD,
      news: kept[place],
      said: KEPT,
    });
});

test("a long notification is cut where no part of a card number is left", () => {
  const { said } = keptNotification(
    { ...HEARD, news: { kind: "other" }, said: `${"x".repeat(289)} ${GIVEN}` },
    undefined,
  );
  assert.equal(said, `${"x".repeat(289)} ${KEPT}`.slice(0, 300));
});

test("no reference of a notification has the number of the card that it is about, and others stay as they are", () => {
  const [number, mask] = ["9999990000001234", "999999******1234"];
  const newsOf = (reference: string): readonly News[] => [
    { kind: "succeeded", processorResponse: PROCESSOR_RESPONSE, operation: reference },
    { kind: "failed", processorResponse: PROCESSOR_RESPONSE, category: "refused", operation: reference },
    {
      ...{ kind: "made", type: "refund", operation: reference, payment: null, end: "succeeded" },
      processorResponse: PROCESSOR_RESPONSE,
    },
    { kind: "dispute", reference, payment: null, report: { order: 1, reason: "card", reasonCode: reference } },
  ];
  const kept = (reference: string) =>
    newsOf(reference).map((news) => keptNotification({ ...HEARD, id: reference, news, said: "card" }, mask));
  assert.doesNotMatch(JSON.stringify(kept(`re_${number}`)), new RegExp(number));
  assert.match(JSON.stringify(kept(`re_${number}`)), /re_\*{16}/);
  assert.deepEqual(
    kept("re_8825408195409505").map(({ news }) => news),
    newsOf("re_8825408195409505"),
  );
});
