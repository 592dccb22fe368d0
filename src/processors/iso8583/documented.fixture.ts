// The parts of docs/iso8583.md that follow from the format's data: tables, and examples byte by byte. docs.test.ts keeps
// the page equal to them.

import { chargeQuestion, followUpQuestion, timeoutReversalQuestion } from "../../../test/conformance/questions.ts";
import type { ProcessorResponse } from "../../payment/transaction.ts";
import { RESPONSE_CODES } from "./answers/response-codes.ts";
import { FIELDS, type FieldFormat } from "./codec/fields.ts";
import { type Framing, frame } from "./codec/frames.ts";
import { Message } from "./codec/message.ts";
import { encodeMessage, type Wire } from "./codec/message-codec.ts";
import { MESSAGE_TYPES, type MessageType } from "./codec/message-types.ts";
import { parseTagged } from "./codec/tagged.ts";
import { TAGS, type TagFormat } from "./codec/tags.ts";
import { chargeMessage } from "./messages/charge-message.ts";
import { followUpMessage, reversalMessage } from "./messages/follow-up-message.ts";
import { networkMessage } from "./messages/network-message.ts";
import { ISO8583_SETTINGS } from "./settings.ts";

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

const cell = (text: string): string => text.replaceAll("|", "\\|");

const RULES = { fixed: "", llvar: "LLVAR, 1 to ", lllvar: "LLLVAR, 1 to " } as const;

const fields = () =>
  table(
    ["Field", "Type", "Length", "Name"],
    Object.entries(FIELDS).map(([number, { content, rule, length, name }]: [string, FieldFormat]) => [
      number,
      content === "tagged" ? "ans, tags" : content,
      `${RULES[rule]}${length}`,
      name,
    ]),
  );

const tags = () =>
  table(
    ["Tag", "Type", "Length", "Value"],
    Object.entries(TAGS).map(([tag, { content, least, most, name, repeats }]: [string, TagFormat]) => [
      tag,
      content,
      least === most ? String(least) : `${least} to ${most}`,
      repeats ? `${name} (may come several times)` : name,
    ]),
  );

const messageTypes = () =>
  table(
    ["Type", "What", "Always has", "May have"],
    Object.entries(MESSAGE_TYPES).map(([mti, { name, required, optional }]: [string, MessageType]) => [
      mti,
      name,
      required.join(", "),
      optional.join(", "),
    ]),
  );

const responseCodes = () =>
  table(
    ["Code", "Means", "`processor_message`"],
    Object.entries(RESPONSE_CODES)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([code, { meaning, message }]) => [code, meaning, message]),
  );

const settings = () =>
  table(
    ["Setting", "Default", "What it does"],
    Object.entries(ISO8583_SETTINGS.properties).map(([name, schema]) => {
      const { default: value, description } = schema as { default?: unknown; description?: string };
      return [`\`${name}\``, value === undefined ? "" : `\`${JSON.stringify(value)}\``, description ?? ""];
    }),
  );

interface Part {
  readonly bytes: Buffer;
  readonly what: string;
  readonly value: string;
}

/** Every byte of a framed message, with what it is. */
function partsOf(message: Message, framing: Framing, wire: Wire): Part[] {
  const bytes = frame(encodeMessage(message, wire), framing);
  const packed = wire.digits === "bcd";
  const digitsLong = (digits: number) => (packed ? Math.ceil(digits / 2) : digits);
  const parts: Part[] = [];
  let at = 0;
  const next = (count: number, what: string, value: string) => {
    parts.push({ bytes: bytes.subarray(at, at + count), what, value });
    at += count;
  };
  next(framing.bytes, "length", `${bytes.length - framing.bytes} bytes follow`);
  next(digitsLong(4), "type", message.mti);
  const halves = (message.fieldNumbers.at(-1) ?? 0) > 64 ? 2 : 1;
  next(halves * (wire.bitmap === "hex" ? 16 : 8), "bitmap", `fields ${message.fieldNumbers.join(", ")}`);
  for (const field of message.fieldNumbers) {
    const { content, rule, name }: FieldFormat = FIELDS[field];
    const value = message.get(field) ?? "";
    if (rule !== "fixed") next(digitsLong(rule === "llvar" ? 2 : 3), `${field}, length`, String(value.length));
    if (content !== "tagged")
      next(content === "n" ? digitsLong(value.length) : value.length, `${field} ${name}`, value);
    else
      for (const [tag, inner] of parseTagged(value))
        next(5 + inner.length, `${field}, tag ${tag}: ${TAGS[tag].name}`, `${tag} ${inner.length} ${inner}`);
  }
  if (at !== bytes.length) throw new Error("the example does not add up to its bytes");
  return parts;
}

const example = (message: Message, framing: Framing, wire: Wire): string =>
  table(
    ["Bytes, hexadecimal", "What", "Value"],
    partsOf(message, framing, wire).map(({ bytes, what, value }) => [
      `\`${bytes.toString("hex").toUpperCase()}\``,
      what,
      `\`${value}\``,
    ]),
  );

const ACCEPTOR = {
  terminalId: "TERM01",
  merchantId: "MERCHANT1",
  acquirerId: "123456",
  name: "Test Shop",
  city: "Montreal",
  country: "CA",
};
const AT = new Date("2030-05-15T12:34:56Z");
const TRACE = { mti: "0200", stan: "000042", at: AT };
const GIVEN = {
  reference: "019e2f3a-1234-7000-8000-000000000001",
  transactionId: "019e2f3a-1234-7000-8000-000000000000",
  currency: "CAD",
  fields: { street_address_1: "1 Main St", zip: "H2X 1Y4" },
};
const SALE = chargeQuestion("sale", GIVEN);
const SALE_MESSAGE = chargeMessage(SALE, ACCEPTOR, TRACE);
const ANSWER = new Message("0210", {
  ...Object.fromEntries(
    ([3, 4, 7, 11, 12, 13, 32, 37, 41, 42, 49] as const).map((field) => [field, SALE_MESSAGE.get(field)]),
  ),
  38: "1A2B3C",
  39: "00",
  44: "YM",
  63: "acq-0123456789abcdef01234567",
});
const REFUND = followUpQuestion(
  "refund",
  SALE,
  { authCode: "1A2B3C", transactionId: ANSWER.get(63) } as ProcessorResponse,
  {
    minor: 400n,
    reference: "019e2f3a-1234-7000-8000-000000000002",
  },
);
const LATER = { trace: { ...TRACE, stan: "000043" }, repeated: false, original: TRACE };

const TWO_BYTES: Framing = { bytes: 2, encoding: "binary" };
const FOUR_DIGITS: Framing = { bytes: 4, encoding: "ascii" };
const ASCII: Wire = { digits: "ascii", bitmap: "binary" };
const PACKED: Wire = { digits: "bcd", bitmap: "hex" };

/** By the name that stands in the page's markers. */
export const BLOCKS: Readonly<Record<string, () => string>> = {
  fields,
  tags,
  "message-types": messageTypes,
  "response-codes": responseCodes,
  settings,
  "example-sign-on": () => example(networkMessage("sign-on", "000001", AT), TWO_BYTES, ASCII),
  "example-sale": () => example(SALE_MESSAGE, TWO_BYTES, ASCII),
  "example-sale-answer": () => example(ANSWER, TWO_BYTES, ASCII),
  "example-refund": () => example(followUpMessage(REFUND, ACCEPTOR, LATER), TWO_BYTES, ASCII),
  "example-reversal-packed": () =>
    example(reversalMessage(timeoutReversalQuestion(SALE), ACCEPTOR, LATER), FOUR_DIGITS, PACKED),
};
