import assert from "node:assert/strict";
import { test } from "node:test";
import { format, inspect } from "node:util";
import { deserialize, serialize } from "node:v8";
import { cardNumber } from "./card.ts";
import { type CardNumber, Secret } from "./secret.ts";

const PAN = "4111111111111111";

test("a secret prints as three dots, however it is written out", () => {
  const number = cardNumber(PAN);
  const ways: Record<string, string> = {
    template: `${number}`,
    concatenation: `${""}${number}`,
    String: String(number),
    join: [number].join(),
    JSON: JSON.parse(JSON.stringify(number)),
    inspect: inspect(number),
    "inspect with hidden properties": inspect(number, { showHidden: true }),
    "format %s": format("%s", number),
    "format %o": format("%o", number),
    "format %O": format("%O", number),
    "format without a pattern": format(number),
    locale: number.toLocaleString(),
  };
  for (const [way, written] of Object.entries(ways)) assert.equal(written, "•••", way);
});

test("nothing that walks over a secret finds the text in it", () => {
  const number = cardNumber(PAN);
  const walked = [
    inspect({ deep: { card: number } }, { depth: null, showHidden: true }),
    inspect(number, { customInspect: false, showHidden: true, getters: true }),
    JSON.stringify({ card: number, copy: { ...number }, entries: Object.entries(number) }),
    inspect(structuredClone({ ...number })),
    inspect(deserialize(serialize(number))),
    inspect(Object.getOwnPropertyDescriptors(number), { depth: null }),
  ];
  for (const text of walked) assert.ok(!text.includes("4111"), text);
  assert.throws(
    () => assert.deepEqual({ card: number }, { card: null }),
    (error: Error) => !inspect(error).includes("4111"),
  );
});

test("a secret shows its text to those who ask for it", () => {
  assert.equal(cardNumber(PAN).reveal(), PAN);
});

test("a CVV does not pass for a card number", () => {
  // @ts-expect-error: the kinds differ
  const mistaken: CardNumber = new Secret("CVV", "123");
  assert.equal(mistaken.kind, "CVV");
});
