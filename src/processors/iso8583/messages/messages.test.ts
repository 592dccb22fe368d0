import assert from "node:assert/strict";
import { test } from "node:test";
import { chargeQuestion, followUpQuestion, timeoutReversalQuestion } from "../../../../test/conformance/questions.ts";
import { cardNumber } from "../../../payment/card.ts";
import { amountOf } from "../../../payment/money.ts";
import type { ProcessorResponse } from "../../../payment/outcome.ts";
import { REASONS, type StoredCredential } from "../../../payment/stored-credential.ts";
import type { Passenger } from "../../../payment/transaction.ts";
import type { CardChargeQuestion } from "../../processor.ts";
import { carried, messageTypeOf, missingFields, writtenAs } from "../codec/dialect.ts";
import type { Message } from "../codec/message.ts";
import { encodeMessage } from "../codec/message-codec.ts";
import { parseTagged, type Tagged } from "../codec/tagged.ts";
import { STANDARD } from "../dialect/standard.ts";
import { rrnOf } from "./envelope.ts";
import { networkMessage } from "./network-message.ts";
import { chargeMessage, followUpMessage, reversalMessage } from "./operation-messages.ts";

const ACCEPTOR = {
  terminalId: "TERM01",
  merchantId: "MERCHANT1",
  acquirerId: "123456",
  name: "Caf\u00e9 Uno",
  city: "Montr\u00e9al",
  country: "CA",
};
const AT = new Date("2030-05-15T12:34:56.789Z");
const TRACE = { mti: "0200", stan: "000042", at: AT };
const GIVEN = { reference: "reference", transactionId: "transaction", currency: "CAD" };
const ORIGINAL_90 = `0200${"000042"}${"0515123456"}${"00000123456"}${"0".repeat(11)}`;

const ENVELOPE = {
  3: "000000",
  4: "000000001000",
  7: "0515123456",
  11: "000042",
  12: "123456",
  13: "0515",
  22: "810",
  25: "59",
  32: "123456",
  37: rrnOf("reference"),
  41: "TERM01  ",
  42: "MERCHANT1      ",
  49: "124",
};

const charge = (question: CardChargeQuestion) => chargeMessage(question, ACCEPTOR, TRACE);
const tagsOf = (message: Message): Tagged => parseTagged(message.get(48) ?? "", STANDARD, 48);
const approved = { authCode: "ABC123", transactionId: "host-1" } as ProcessorResponse;

function assertWhole(message: Message): void {
  assert.ok(messageTypeOf(STANDARD, message.mti));
  assert.deepEqual(missingFields(STANDARD, message), []);
  assert.ok(carried(STANDARD, message).equals(message), "no field that such a message does not have");
  encodeMessage(message, writtenAs(STANDARD, { digits: "bcd", bitmap: "binary" }));
}

test("a sale is a 0200 and an auth a 0100, with the card and all that stands in its envelope", () => {
  for (const [type, mti] of [
    ["sale", "0200"],
    ["auth", "0100"],
  ] as const) {
    const message = charge(chargeQuestion(type, GIVEN));
    assertWhole(message);
    assert.equal(message.mti, mti);
    assert.deepEqual(shown(message), {
      ...ENVELOPE,
      2: "4111111111111111",
      14: "9912",
      43: "Cafe Uno                 Montreal     CA",
      48: "CV003973TI011transactionMR007order 1IP011203.0.113.7",
    });
  }
});

test("address, 3-D Secure, descriptor and tax number stand in their fields, in ASCII", () => {
  const fields = {
    street_address_1: "Stra\u00dfe 1, \u00c5rhus",
    zip: "H2X 1Y4",
    dynamic_descriptor: "SHOP|555-1234",
    document_number: "123.456.789-09",
  };
  const threeDSecure = {
    xid: "AAAA",
    eci: "05",
    cavv: "AAABBEg0VhI0VniQEjRWAAAAAAA=",
    status: "Y",
    version: 2,
  } as const;
  const message = charge(chargeQuestion("sale", { ...GIVEN, fields, threeDSecure, cvv: null }));
  assertWhole(message);
  assert.deepEqual(tagsOf(message).slice(0, 7), [
    ["ST", "Strasse 1, Arhus"],
    ["ZP", "H2X 1Y4"],
    ["3C", threeDSecure.cavv],
    ["3E", "05"],
    ["3S", "Y"],
    ["3V", "2"],
    ["3X", "AAAA"],
  ]);
  assert.equal(message.get(43), "SHOP                     555-1234     CA");
  assert.equal(message.get(102), "123.456.789-09");
});

test("a card on file has an entry mode of its own, and tags that say who charges it, why, and after which charge", () => {
  const first = "483297487231504";
  for (const [storedCredential, entry, condition, tags] of [
    [undefined, "810", "59", []],
    [{ initiator: "payer", use: "first" }, "810", "59", [["SC", "CF0"]]],
    [{ initiator: "payer", use: "first", reason: "deposit" }, "810", "59", [["SC", "CFD"]]],
    [{ initiator: "payer", use: "later" }, "100", "59", [["SC", "CL0"]]],
    ...REASONS.map(
      (reason, nth) =>
        [
          { initiator: "merchant", use: "later", reason, networkTransactionId: first },
          ...(["100", "01"] as const),
          [
            ["SC", `ML${"URIDNAS"[nth]}`],
            ["NT", first],
          ],
        ] as const,
    ),
  ] as const satisfies readonly (readonly [StoredCredential | undefined, string, string, Tagged])[]) {
    const question = { ...chargeQuestion("sale", GIVEN), ...(storedCredential && { storedCredential }) };
    const message = charge(question);
    assertWhole(message);
    const said = tagsOf(message).filter(([tag]) => tag === "SC" || tag === "NT");
    assert.deepEqual([message.get(22), message.get(25), said], [entry, condition, tags]);
    const untold = chargeMessage(question, ACCEPTOR, TRACE, false);
    assert.ok(untold.equals(charge(chargeQuestion("sale", GIVEN))), "a host that is told nothing of it");
  }
});

test("passengers go whole and as many as fit, after the number of all", () => {
  const passenger: Passenger = {
    id: "p",
    passenger_name: "DOE/JANE",
    ticket_number: "0012345678901",
    ticket_issuing_carrier_name: "AIR CANADA",
    ticket_issuing_carrier_code: "AC",
    ticket_issuing_city: "MONTREAL",
    ticket_issuing_date: "2030-05-01",
    restricted_ticket_indicator: true,
    legs: [
      {
        carrier_code: "AC",
        service_class: "Y",
        departure_airport: "YUL",
        destination_airport: "YYZ",
        departure_date: "2030-06-01",
        flight_number: "0401",
        fare_basis: "YFF",
        fare: amountOf(1000n),
      },
    ],
    fares: amountOf(1000n),
  };
  const passengers = Array.from({ length: 12 }, () => passenger);
  const message = charge({ ...chargeQuestion("sale", GIVEN), passengers });
  assertWhole(message);
  const airline = tagsOf(message).filter(([tag]) => tag.startsWith("A"));
  assert.deepEqual(airline.slice(0, 3), [
    ["AN", "12"],
    ["AP", "DOE/JANE            0012345678901ACAIR CANADA               MONTREAL          300501R"],
    ["AL", "ACYYULYYZ3006010401YFF            000000001000"],
  ]);
  assert.equal(airline.length, 1 + 2 * 6);
});

test("follow-ups name their charge by its data elements and never by its card", () => {
  for (const [type, mti, again, code] of [
    ["capture", "0220", "0221", "000000"],
    ["void", "0400", "0401", "000000"],
    ["refund", "0200", "0200", "200000"],
  ] as const) {
    const question = followUpQuestion(type, chargeQuestion("sale", { ...GIVEN, reference: "charge" }), approved, GIVEN);
    const sending = { trace: TRACE, repeated: false, original: TRACE };
    const message = followUpMessage(question, ACCEPTOR, sending);
    assertWhole(message);
    assert.equal(message.mti, mti);
    assert.deepEqual(shown(message), {
      ...ENVELOPE,
      3: code,
      38: "ABC123",
      48: `OR012${rrnOf("charge")}TI011transaction`,
      63: "host-1",
      90: ORIGINAL_90,
    });
    const repeat = followUpMessage(question, ACCEPTOR, { ...sending, repeated: true });
    assert.equal(repeat.mti, again);
    assert.deepEqual(shown(repeat), shown(message), "a repeat is told by its type alone");
  }
});

test("a reversal carries the charge's own RRN, amount and data elements, or zeros for what is not known", () => {
  const question = timeoutReversalQuestion(chargeQuestion("sale", GIVEN));
  const sending = { trace: TRACE, repeated: false, original: TRACE };
  const message = reversalMessage(question, ACCEPTOR, sending);
  assertWhole(message);
  assert.equal(message.mti, "0420");
  assert.deepEqual(shown(message), { ...ENVELOPE, 48: "TI011transaction", 90: ORIGINAL_90 });
  const unknown = reversalMessage(question, ACCEPTOR, { ...sending, repeated: true, original: undefined });
  assert.equal(unknown.mti, "0421");
  assert.equal(unknown.get(90), `0200${"0".repeat(16)}${"00000123456"}${"0".repeat(11)}`);
});

test("network messages carry their code and nothing of money", () => {
  for (const [work, code] of [
    ["sign-on", "001"],
    ["sign-off", "002"],
    ["echo", "301"],
  ] as const) {
    const message = networkMessage(work, "000007", AT);
    assertWhole(message);
    assert.deepEqual(shown(message), { 7: "0515123456", 11: "000007", 70: code });
  }
});

test("follow-ups and reversals carry number and expiry where they are given, and no CVV", () => {
  const card = { number: cardNumber("4111111111111111"), expiryMonth: "03", expiryYear: "2031" };
  const sending = { trace: TRACE, repeated: false, original: TRACE };
  const charge = chargeQuestion("sale", GIVEN);
  const questions = (["capture", "void", "refund"] as const).map((type) => followUpQuestion(type, charge, approved));
  const messages = [
    ...questions.map((question) => followUpMessage({ ...question, card }, ACCEPTOR, sending)),
    reversalMessage({ ...timeoutReversalQuestion(charge), card }, ACCEPTOR, sending),
  ];
  for (const message of messages) {
    assert.deepEqual([message.get(2), message.get(14)], ["4111111111111111", "3103"]);
    assert.ok(tagsOf(message).every(([tag]) => tag !== "CV"));
    assertWhole(message);
  }
});

/** A message's fields in the clear: messages themselves do not print them. */
function shown(message: Message): Record<string, string> {
  return Object.fromEntries(message.fieldNumbers.map((field) => [field, message.get(field) ?? ""]));
}
