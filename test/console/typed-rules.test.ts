// What people type and paste, and what the console takes it for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, shownIn, understoodIn } from "../../console/src/transactions/filters.ts";
import { meaningOf } from "../../console/src/words/answers.ts";
import { amountSent, codeSent, numberSent, typedAmount, typedMoney } from "../../console/src/words/typed.ts";
import type { Event } from "../../packages/client/src/openapi.ts";

test("a number is understood as people paste it, and never guessed", () => {
  for (const [typed, amount] of [
    ["12", "12.00"],
    ["0012.5", "12.50"],
    ["1,234.50", "1234.50"],
    ["9,999,999", "9999999.00"],
    ["1 234 567.5", "1234567.50"],
    ["1\u00a0234.50", "1234.50"],
    ["1'234.50", "1234.50"],
    ["1’234", "1234.00"],
    [" 7\t", "7.00"],
  ] as const) {
    assert.equal(typedAmount(typed), amount, typed);
    assert.equal(amountSent(typed), amount, typed);
  }
  for (const typed of [
    "",
    ".",
    "12,5",
    "12,50",
    "1,23",
    "1,2345",
    "1,234 567",
    "1.234",
    "1.234,50",
    "12.345",
    "-1",
    "+1",
    "1e3",
    "0x10",
    "٣",
  ]) {
    assert.equal(typedAmount(typed), undefined, typed);
    assert.equal(amountSent(typed), typed, typed);
  }
  for (const typed of ["12345678", "10,000,000", "12 34", "1 2"]) assert.equal(typedAmount(typed), undefined, typed);
  for (const [typed, money] of [
    ["12.50", { amount: "12.50" }],
    ["usd 12.50", { amount: "12.50", currency: "USD" }],
    ["1,234.50CAD", { amount: "1234.50", currency: "CAD" }],
    ["CAD 1,234.50 USD", undefined],
    ["order-1", undefined],
    ["USD", undefined],
  ] as const)
    assert.deepEqual(typedMoney(typed), money, typed);
  for (const [typed, number] of [
    ["20,000", 20_000],
    ["20 000", 20_000],
    [" 5 ", 5],
    ["soon", "soon"],
    ["1.5", "1.5"],
    ["-5", "-5"],
    ["2,0", "2,0"],
    ["9".repeat(16), "9".repeat(16)],
  ] as const)
    assert.equal(numberSent(typed), number, typed);
  for (const [typed, code] of [
    ["123 456", "123456"],
    ["123-456", "123456"],
    [" 123456 ", "123456"],
    ["abcd-efgh-ijkl-mnop ", "abcd-efgh-ijkl-mnop"],
  ] as const)
    assert.equal(codeSent(typed), code, typed);
});

test("the fields of the filters take what is pasted into them, or say what would be right", () => {
  for (const [values, query] of [
    [{ card_number: "411111" }, "card_number=411111********"],
    [{ card_number: " 4111 11 " }, "card_number=411111********"],
    [{ card_number: "411111********" }, "card_number=411111********"],
    [{ card_number: "411111******1111" }, "card_number=411111********&last_four=1111"],
    [{ card_number: "4222****" }, "card_number=4222****"],
    [{ last_four: "•••• 1111" }, "last_four=1111"],
    [{ amount: "1,234.50" }, "amount=1234.50"],
    [{ amount: "12 CAD" }, "amount=12.00&currency=CAD"],
    [{ currency: " usd" }, "currency=USD"],
    [{ email: " jane@example.com " }, "email=jane%40example.com"],
    [{ amount: " ", zip: "" }, ""],
  ] as const)
    assert.deepEqual([addressOf(understoodIn(values).filters), understoodIn(values).wrong], [query, {}]);
  for (const [name, typed] of [
    ["card_number", "41111"],
    ["card_number", "4111111"],
    ["card_number", "4111111111111111"],
    ["card_number", "4111 1111 1111 1111"],
    ["last_four", "111"],
    ["last_four", "4111111111111111"],
    ["amount", "12,50"],
    ["amount", "twelve"],
    ["currency", "dollars"],
  ] as const)
    assert.deepEqual(Object.keys(understoodIn({ [name]: typed }).wrong), [name], typed);
  assert.equal(shownIn("card_number", "411111********"), "411111");
  assert.equal(shownIn("card_number", "4222****"), "4222****");
});

test("a card that has expired is not said to be correctable", () => {
  const declined = (processor_code: string, processor_message: string) =>
    meaningOf({
      ...({ success: false, status: "declined", decline_category: "wrong-data" } as Event),
      ...{ processor_code, processor_message },
    });
  for (const [code, message] of [
    ["54", "EXPIRED CARD"],
    ["54", ""],
    ["expired_card", "Your card has expired."],
    ["6", "Expired Card"],
  ] as const)
    assert.match(declined(code, message) ?? "", /has expired/);
  for (const [code, message] of [
    ["14", "INVALID CARD NUMBER"],
    ["N7", "CVV MISMATCH"],
  ] as const)
    assert.match(declined(code, message) ?? "", /^Number, expiry date or CVV is wrong\./);
});

test("what a processor did by itself is said to be so, and what it did when it was asked is not", () => {
  const refund = { success: true, status: "refunded", event_type: "refund" } as unknown as Event;
  assert.match(meaningOf({ ...refund, by_processor: true }) ?? "", /^The processor did this by itself/);
  assert.equal(meaningOf(refund), undefined);
});
