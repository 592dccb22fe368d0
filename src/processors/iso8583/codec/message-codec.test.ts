import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { anyMessageIn, DIALECTS, writingsOf } from "../../../../test/fixtures/generated-message.ts";
import { VARIANT } from "../../../../test/fixtures/variant-dialect.ts";
import { LAYOUTS } from "../dialect/layouts.ts";
import { STANDARD } from "../dialect/standard.ts";
import { withLayouts } from "../field-layouts.ts";
import { writeBitmap } from "./bitmap.ts";
import { ByteWriter } from "./bytes.ts";
import { DIGITS } from "./content.ts";
import { carried, type Dialect, writtenAs } from "./dialect.ts";
import { CodecFault } from "./fault.ts";
import { Message } from "./message.ts";
import { decodeMessage, decodeWhole, encodeMessage } from "./message-codec.ts";

const ASCII = writtenAs(STANDARD, { digits: "ascii", bitmap: "hex" });
const PACKED = writtenAs(STANDARD, { digits: "bcd", bitmap: "binary" });
/** A million by hand: CODEC_RUNS=1000000. */
const RUNS = Number(process.env.CODEC_RUNS ?? 10_000);
const PAN = "4111111111111111";

/** What the fault of decoding says, or the message where there is none. */
function decoded(bytes: Buffer, dialect: Dialect): Message | string {
  try {
    return decodeMessage(bytes, dialect);
  } catch (fault) {
    assert.ok(fault instanceof CodecFault, `a fault of the codec, not ${fault}`);
    return fault.message;
  }
}

test("a message is its type, its bitmap and its fields, in each of the encodings", () => {
  const echo = new Message("0800", { 7: "0515120000", 11: "000001", 70: "301" });
  const sale = new Message("0200", { 2: `${PAN}1`, 39: "00", 49: "840" });
  for (const [message, dialect, expected] of [
    [echo, ASCII, "0800" + "8220000000000000" + "0400000000000000" + "0515120000" + "000001" + "301"],
    [sale, ASCII, `0200400000000200800017${PAN}100840`],
  ] as const)
    assert.equal(encodeMessage(message, dialect).toString("latin1"), expected);
  for (const [message, dialect, expected] of [
    [echo, PACKED, "0800" + "8220000000000000" + "0400000000000000" + "0515120000" + "000001" + "0301"],
    [sale, PACKED, `02004000000002008000170${PAN}130300840`],
  ] as const)
    assert.equal(encodeMessage(message, dialect).toString("hex"), expected);
});

const mutation = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("set", "cut", "double", "insert"),
  byte: fc.nat(255),
});

for (const given of [STANDARD, VARIANT]) {
  const anyMessage = anyMessageIn(given);
  const writings = writingsOf(given);

  test(`${given.name}: what was encoded decodes to the same message, whatever the encodings`, () => {
    fc.assert(
      fc.property(anyMessage, fc.constantFrom(...writings), (message, dialect) =>
        decodeMessage(encodeMessage(message, dialect), dialect).equals(message),
      ),
      { numRuns: RUNS },
    );
  });

  test(`${given.name}: every field at its longest and at its shortest comes back, whatever the encodings`, () => {
    for (const [field, { content, rule, length }] of Object.entries(given.fields)) {
      for (const size of content === "tagged" ? [] : [rule === "fixed" ? length : 1, length]) {
        const message = new Message("0200", { [field]: "9".repeat(size) });
        for (const dialect of writings)
          assert.ok(decodeMessage(encodeMessage(message, dialect), dialect).equals(message));
        assert.throws(() => encodeMessage(message.with({ [field]: "9".repeat(length + 1) }), given), CodecFault);
      }
    }
  });

  test(`${given.name}: a mutated message is a fault, or what is read of it can be written: nothing is guessed`, () => {
    fc.assert(
      fc.property(anyMessage, fc.constantFrom(...writings), mutation, (message, dialect, { at, kind, byte }) => {
        const bytes = encodeMessage(message, dialect);
        const [head, tail] = [bytes.subarray(0, at % bytes.length), bytes.subarray(at % bytes.length)];
        const mutated = {
          set: Buffer.concat([head, Buffer.of(byte), tail.subarray(1)]),
          cut: head,
          double: Buffer.concat([bytes, tail]),
          insert: Buffer.concat([head, Buffer.of(byte), tail]),
        }[kind];
        const read = decoded(mutated ?? bytes, dialect);
        if (read instanceof Message) assert.ok(decodeMessage(encodeMessage(read, dialect), dialect).equals(read));
      }),
      { numRuns: RUNS },
    );
  });
}

test("in a variant the lengths, the fields and the tags are its own", () => {
  const { 22: _, ...fields } = { 2: `${PAN}1`, 22: "810", 24: "200", 63: "host-1" };
  const message = new Message("0200", fields);
  // Type and digits packed, the bitmap in hexadecimal digits, lengths in ASCII: 17 and 6.
  const expected = [
    "0200",
    Buffer.from("4000010000000002").toString("hex"),
    `3137${"0"}${PAN}1`,
    "0200",
    `3036${Buffer.from("host-1").toString("hex")}`,
  ];
  assert.equal(encodeMessage(message, VARIANT).toString("hex"), expected.join(""));
  assert.throws(() => encodeMessage(message, STANDARD), { message: "field 24 is not in the message format" });
  assert.throws(() => encodeMessage(new Message("0200", { 22: "810" }), VARIANT), {
    message: "field 22 is not in the message format",
  });
  const again = new Message("0200", { 60: `PN016${PAN}` });
  assert.ok(decodeMessage(encodeMessage(again, VARIANT), VARIANT).equals(again));
  assert.throws(() => encodeMessage(new Message("0200", { 48: `PN016${PAN}` }), STANDARD), {
    message: "field 48: a tag that is not in the message format",
  });
});

test("private data go in the field that the dialect has for them", () => {
  const reversal = (dialect: Dialect) => {
    const { required } = dialect.messageTypes["0420"] ?? { required: [] };
    const values = Object.fromEntries(required.map((field) => [field, "0"]));
    return carried(dialect, new Message("0420", { ...values, 48: "TI0011" }));
  };
  assert.deepEqual([reversal(STANDARD).get(48), reversal(STANDARD).get(60)], ["TI0011", undefined]);
  assert.deepEqual([reversal(VARIANT).get(48), reversal(VARIANT).get(60)], [undefined, "TI0011"]);
});

test("of a message goes what its dialect carries, and without what it requires it does not go", () => {
  const echo = new Message("0800", { 7: "0515120000", 11: "000001", 70: "301", 102: "1", 39: "00" });
  assert.deepEqual(carried(VARIANT, echo).fieldNumbers, [7, 11, 70]);
  assert.throws(() => carried(VARIANT, echo.with({ 70: undefined })), { message: "field 70: required, and not there" });
  assert.throws(() => carried(VARIANT, echo.with({}, "0600")), { message: /message type is not in/ });
});

test("random bytes decode to a fault, never to a crash", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...DIALECTS, VARIANT), (bytes, dialect) => {
      decoded(Buffer.from(bytes), dialect);
    }),
    { numRuns: RUNS },
  );
});

describe("what is not understood is a fault", () => {
  const BITS = { none: "0000000000000000", two: "4000000000000000" };
  for (const [name, bytes, expected] of [
    ["nothing", "", "the message ends early, at byte 0"],
    ["a type with letters", "02X0", "something else than digits"],
    ["a type of another version", `1200${BITS.none}`, "the message type is not in the message format"],
    ["half a bitmap", "02004000", "the message ends early, at byte 8"],
    ["a bitmap of other letters", "0200400000000000000g", "the bitmap is not hexadecimal"],
    ["a third bitmap", "020080000000000000008000000000000000", "field 65 has no known length"],
    ["a skipped field that ends early", "02000800000000000000", "field 5: the message ends early, at byte 20"],
    ["a skipped field of no length", "02000000000000000200X12", "field 55: something else than digits"],
    ["a field that ends early", `0200${BITS.two}164111`, "field 2: the message ends early, at byte 26"],
    ["a length that is none", `0200${BITS.two}1X4111`, "field 2: something else than digits"],
    ["an empty field", `0200${BITS.two}00`, "field 2: not 1 to 19 long"],
    ["a field that is too long", `0200${BITS.two}20${"4".repeat(20)}`, "field 2: longer than 19"],
    ["a letter among digits", `0200${BITS.two}0441X1`, "field 2: something else than digits"],
    ["bytes after the end", `0200${BITS.none}00`, "2 bytes after the last field"],
    [
      "an unknown tag",
      "0200000000000001000000" + "9" + "XX0041234",
      "field 48: a tag that is not in the message format",
    ],
  ] as const)
    test(name, () => assert.equal(decoded(Buffer.from(bytes, "latin1"), ASCII), expected));

  test("a nibble that is not zero before an odd number of BCD digits", () => {
    const bytes = Buffer.from(`0200${"4000000000000000"}03${"1234"}`, "hex");
    const expected = "field 2: the nibble before an odd number of BCD digits is not zero";
    assert.equal(decoded(bytes, PACKED), expected);
  });
});

/** As a host would write it that has more fields than we. */
function withField(message: Message, field: number, bytes: Buffer, dialect: Dialect): Buffer {
  const before = new Message(message.mti, { ...fieldsOf(message, (one) => one < field) });
  const after = new Message(message.mti, { ...fieldsOf(message, (one) => one > field) });
  const head = encodeMessage(before, dialect);
  const tail = encodeMessage(after, dialect);
  const type = DIGITS[dialect.digits === "bcd" ? "bcd" : "ascii"];
  const bitmap = new ByteWriter(64);
  type.write(bitmap, message.mti);
  writeBitmap(
    bitmap,
    dialect.bitmap,
    [...message.fieldNumbers, field].toSorted((one, other) => one - other),
  );
  const sizeOfHead = (one: Message) => {
    const empty = new ByteWriter(64);
    type.write(empty, one.mti);
    writeBitmap(empty, dialect.bitmap, one.fieldNumbers);
    return empty.written().length;
  };
  return Buffer.concat([bitmap.written(), head.subarray(sizeOfHead(before)), bytes, tail.subarray(sizeOfHead(after))]);
}

const fieldsOf = (message: Message, wanted: (field: number) => boolean) =>
  Object.fromEntries(message.fieldNumbers.filter(wanted).map((field) => [field, message.get(field)]));

const ANSWER = new Message("0210", {
  ...{ 3: "000000", 4: "000000001000", 7: "0515123456", 11: "000042", 37: "RRRRRRRRRRR1", 38: "ABC123", 39: "00" },
  ...{ 41: "TERM01  ", 42: "MERCHANT1      ", 49: "840", 63: "host-1" },
});

describe("fields that nobody needs are skipped by their length", () => {
  const others = Object.keys(LAYOUTS)
    .map(Number)
    // 32 decides: where it is there, it is that of the question.
    .filter((field) => !ANSWER.has(field) && field !== 32);

  test("every one of ISO 8583:1987, of any length and with anything in it, whatever the encodings", () => {
    for (const dialect of writingsOf(STANDARD))
      for (const field of others) {
        const { content, rule, length } = LAYOUTS[field] ?? { content: "n", rule: "fixed", length: 0 };
        for (const size of rule === "fixed" ? [length] : [0, 1, 9, length]) {
          const packed = dialect.digits === "bcd" ? Math.ceil(size / 2) : size;
          const bytes = {
            ...{ n: packed, "x+n": 1 + packed, b: dialect.bitmap === "hex" ? 2 * size : size },
            ...{ an: size, ans: size, tagged: size },
          }[content];
          const ahead = rule === "fixed" ? "" : String(size).padStart(rule === "llvar" ? 2 : 3, "0");
          const prefix =
            dialect.digits === "bcd"
              ? Buffer.from(ahead.length % 2 ? `0${ahead}` : ahead, "hex")
              : Buffer.from(ahead, "latin1");
          const value = Buffer.concat([prefix, Buffer.alloc(bytes, 0xe9)]);
          const { message, skipped } = decodeWhole(withField(ANSWER, field, value, dialect), dialect);
          assert.ok(message.equals(ANSWER), `field ${field}`);
          assert.deepEqual(skipped, [field]);
        }
      }
  });

  test("by the record's own layout where the host's is another", () => {
    const dialect = withLayouts(ASCII, "55 llvar, 60 lllvar digits, 72 fixed 9, 63 llvar, 127 llvar");
    for (const [field, value] of [
      [55, "03abc"],
      [60, "004abcd"],
      [72, "123456789"],
      [127, "00"],
    ] as const)
      assert.ok(decodeMessage(withField(ANSWER, field, Buffer.from(value), dialect), dialect).equals(ANSWER));
    assert.ok(encodeMessage(ANSWER, dialect).toString("latin1").endsWith("84006host-1"));
    assert.ok(encodeMessage(ANSWER, ASCII).toString("latin1").endsWith("840006host-1"));
    const packed = withLayouts(PACKED, "60 lllvar digits");
    assert.ok(decodeMessage(withField(ANSWER, 60, Buffer.from("0003e9e9", "hex"), packed), packed).equals(ANSWER));
  });

  test("an informative field that cannot be read is as if it were not there, and one that decides is a fault", () => {
    const bytes = encodeMessage(ANSWER, ASCII).toString("latin1");
    for (const [from, to, lost] of [
      ["0515123456", "15.05 12:3", 7],
      ["host-1", "h\u00f6st-1", 63],
      ["ABC123", "ABC12\u0000", 38],
    ] as const) {
      const { message, skipped } = decodeWhole(Buffer.from(bytes.replace(from, to), "latin1"), ASCII);
      assert.deepEqual(skipped, [lost]);
      assert.ok(message.equals(ANSWER.with({ [lost]: undefined })));
    }
    for (const [from, to, field] of [
      ["000000001000", "00000000100 ", 4],
      ["000042", "00004X", 11],
      ["TERM01  ", "TERM01\u0000\u0000", 41],
      ["MERCHANT1", "MERCHANT\u00e9", 42],
      ["12300TERM", "1230 TERM", 39],
    ] as const)
      assert.match(
        String(decoded(Buffer.from(bytes.replace(from, to), "latin1"), ASCII)),
        new RegExp(`^field ${field}: `),
      );
  });

  test("an answer is one whoever it is from, and a question is not", () => {
    const bytes = encodeMessage(ANSWER, ASCII);
    for (const type of ["0210", "0211", "0212", "0213", "0214", "0215"]) {
      bytes.write(type, 0, "latin1");
      assert.ok(decodeMessage(bytes, ASCII).equals(ANSWER));
    }
    for (const type of ["0216", "0219", "0202", "0240", "1210"]) {
      bytes.write(type, 0, "latin1");
      assert.equal(decoded(bytes, ASCII), "the message type is not in the message format");
    }
  });

  test("a bitmap may have small letters, and a second one may be empty", () => {
    const echo = new Message("0810", { 11: "000001", 39: "00" });
    for (const [bitmap, fields] of [
      ["80200000020000000000000000000000", "00000100"],
      ["002000000a000000", "000001RRRRRRRRRRR100"],
    ] as const)
      assert.equal(decodeMessage(Buffer.from(`0810${bitmap}${fields}`), ASCII).get(39), echo.get(39));
  });
});

test("a value that does not fit its field is not encoded", () => {
  for (const [fields, expected] of [
    [{ 4: "1000" }, "field 4: not 12 long"],
    [{ 2: "41111111111111X1" }, "field 2: something else than digits"],
    [{ 2: "" }, "field 2: not 1 to 19 long"],
    [{ 41: "TERM\u00e91  " }, "field 41: something else than printable ASCII"],
    [{ 48: "CV0029" }, "field 48.CV: longer than the field"],
    [{ 48: "CV00297" }, "field 48.CV: not 3 to 4 long"],
    [{ 48: "CV003973CV003973" }, "field 48.CV: there twice"],
    [{ 48: "CV01" }, "field 48.CV: its length is not three digits"],
  ] as const)
    assert.throws(() => encodeMessage(new Message("0200", fields), ASCII), { message: expected });
  assert.throws(() => encodeMessage(new Message("0600", {}), ASCII), CodecFault);
});

test("neither a message nor a fault prints what is in a field", () => {
  const message = new Message("0200", { 2: PAN, 48: "CV003973" });
  for (const shown of [`${message}`, JSON.stringify(message), inspect(message, { showHidden: true, depth: null })])
    assert.equal(shown.replaceAll('"', ""), "0200 with fields 2, 48");
  const bytes = encodeMessage(message, ASCII);
  for (let cut = 0; cut < bytes.length; cut++) {
    const said = decoded(bytes.subarray(0, cut), ASCII);
    assert.ok(typeof said === "string" && !/4111|973/.test(said), "a fault without content");
  }
});
