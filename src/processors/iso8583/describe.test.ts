import assert from "node:assert/strict";
import { describe as about, test } from "node:test";
import fc from "fast-check";
import { chargeQuestion } from "../../../test/conformance/questions.ts";
import { anyMessageIn } from "../../../test/fixtures/generated-message.ts";
import { VARIANT } from "../../../test/fixtures/variant-dialect.ts";
import { UnreadableMessage } from "../message-reader.ts";
import { type Dialect, writtenAs } from "./codec/dialect.ts";
import { frame } from "./codec/frames.ts";
import { Message } from "./codec/message.ts";
import { type Decoded, encodeMessage } from "./codec/message-codec.ts";
import { describe, messageReader } from "./describe.ts";
import { STANDARD } from "./dialect/standard.ts";
import { chargeMessage } from "./messages/operation-messages.ts";

const PAN = "4111111111111111";
const ACCEPTOR = { terminalId: "T1", merchantId: "M1", acquirerId: "1", name: "Shop", city: "Oslo", country: "NO" };
const TRACE = { mti: "0200", stan: "000042", at: new Date("2030-05-15T12:34:56Z") };
const SALE = chargeMessage(chargeQuestion("sale", { number: PAN, cvv: "9713" }), ACCEPTOR, TRACE);

const whole = (message: Message): Decoded => ({ message, mti: message.mti, skipped: [] });
const toldAt = (message: Message, place: string, dialect: Dialect = STANDARD) =>
  describe(whole(message), dialect).values.find((value) => value.place === place)?.value;

test("a message is told field by field and tag by tag, by the names of its dialect", () => {
  const { type, name, values, missing } = describe(whole(SALE), STANDARD);
  assert.equal(`${type} ${name}`, `0200 ${STANDARD.messageTypes["0200"]?.name}`);
  assert.deepEqual(missing, []);
  const told = new Map(values.map(({ place, name, value }) => [place, `${name}: ${value}`]));
  assert.equal(told.get("2"), "Primary account number: 411111******1111");
  assert.equal(told.get("4"), "Amount, in the currency's minor unit (ISO 4217): 000000001000");
  assert.equal(told.get("11"), "System trace audit number (STAN): 000042");
  assert.equal(told.get("14"), "Expiry date, YYMM: •••");
  assert.equal(told.get("48.CV"), "CVV: •••");
  assert.equal(told.get("48.MR"), "The merchant's own reference: order 1");
  assert.deepEqual(describe(whole(SALE.with({ 4: undefined, 37: undefined })), STANDARD).missing, ["4", "37"]);
});

about("no card number and no CVV is told, wherever a host has put it", () => {
  for (const [name, fields, place, expected, dialect = STANDARD] of [
    ["the number's own field", { 2: PAN }, "2", "411111******1111"],
    ["a number too short for a mask", { 2: "4111" }, "2", "•••"],
    ["a text field", { 63: `ref ${PAN}` }, "63", "•••"],
    ["with spaces", { 43: `${"4111 1111 1111 1111".padEnd(40)}` }, "43", "•••"],
    [
      "this card's number, right or not by its check digit",
      { 2: "4711000000000001", 63: "4711000000000001" },
      "63",
      "•••",
    ],
    ["a tag", { 48: `MR016${PAN}` }, "48.MR", "•••"],
    ["a tag that is marked", { 60: `PN016${PAN}` }, "60.PN", "411111******1111", VARIANT],
    ["the CVV", { 48: "CV0049713" }, "48.CV", "•••"],
    ["the tax number", { 102: "529.982.247-25" }, "102", "•••"],
  ] as const)
    test(name, () => assert.equal(toldAt(new Message("0200", fields), place, dialect), expected));

  for (const dialect of [STANDARD, VARIANT])
    test(`${dialect.name}: of any message with any card in any of its texts`, () => {
      const pan = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 13, maxLength: 19, size: "=" });
      const texts = Object.entries(dialect.fields).flatMap(([field, { content, length }]) =>
        content === "ans" && length >= 19 ? [Number(field)] : [],
      );
      fc.assert(
        fc.property(anyMessageIn(dialect), pan, fc.constantFrom(...texts), (message, number, field) => {
          const length = dialect.fields[field]?.length ?? 0;
          const planted = message.with({
            2: number,
            [field]: number.padEnd(length).slice(0, length),
            [dialect.privateData]: `CV004${number.slice(0, 4)}`,
          });
          const { values } = describe(whole(planted), dialect);
          for (const { place, value } of values)
            if (place !== "2" || number.length > 10) assert.ok(!value.includes(number), place);
          assert.equal(values.find(({ place }) => place === `${dialect.privateData}.CV`)?.value, "•••");
        }),
        { numRuns: 500 },
      );
    });
});

about("bytes", () => {
  const reader = messageReader(STANDARD);
  const settings = { digits: "bcd", bitmap: "hex", framing: "ascii-4" };
  const bytes = encodeMessage(SALE, writtenAs(STANDARD, { digits: "bcd", bitmap: "hex" }));
  const framed = frame(bytes, { bytes: 4, encoding: "ascii" });

  test("are read as the settings say that they are written, with or without their lengths", () => {
    const expected = describe(whole(SALE), STANDARD);
    assert.deepEqual(reader.describe(bytes, settings, false), [expected]);
    assert.deepEqual(reader.describe(Buffer.concat([framed, framed]), settings, true), [expected, expected]);
    assert.deepEqual(reader.describe(encodeMessage(SALE, STANDARD), {}, false), [expected]);
  });

  test("that are no message are said to be none, without what is in them", () => {
    for (const [given, framedToo] of [
      [bytes.subarray(0, 40), false],
      [Buffer.concat([bytes, Buffer.from(PAN)]), false],
      [framed.subarray(0, 60), true],
      [Buffer.from(PAN), true],
    ] as const)
      assert.throws(
        () => reader.describe(given, settings, framedToo),
        (fault) => fault instanceof UnreadableMessage && !/4111|9713/.test(`${fault.message}${fault.cause ?? ""}`),
      );
  });
});
