// What becomes of a charge on a host that misbehaves, what is sent, and what `check` says.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import type { AdyenHost } from "../../../hosts/adyen/host.ts";
import type { Rule } from "../../../hosts/adyen/misbehaviour.ts";
import { againstOpenApi, published } from "../../../test/conformance/adyen-openapi.ts";
import { ACCOUNT, openAdyen, testAdyenHost } from "../../../test/conformance/adyen-subject.ts";
import { chargeQuestion } from "../../../test/conformance/questions.ts";
import { amountOf } from "../../payment/money.ts";
import { PROCESSOR_KINDS } from "../kinds.ts";
import type { Processor } from "../processor.ts";
import { billingAddress } from "./addresses.ts";
import { adyenValue } from "./minor-units.ts";
import { isAbout } from "./read-payment.ts";
import { parseReference, renderReference } from "./reference.ts";
import { categoryOf, codeOf, REFUSALS, refusalOf } from "./refusals.ts";
import { paymentRequest } from "./requests.ts";
import { baseUrlOf, withDefaults } from "./settings.ts";

describe("a charge on a host that misbehaves", () => {
  let host: AdyenHost;
  let processor: Processor;
  before(async () => {
    host = await testAdyenHost();
    processor = openAdyen({ ...ACCOUNT, base_url: host.baseUrl });
  });
  after(async () => {
    await processor.close();
    await host.stop();
  });
  beforeEach(() => {
    host.behave();
    host.rawCards = true;
  });

  for (const what of [
    "disconnect-before",
    "disconnect-after",
    "half",
    "garbage",
    "busy",
    "error-before",
    "error-after",
  ] as const)
    test(`${what}, once: it is asked again under the same key, and booked once`, async () => {
      host.misbehave({ what, times: 1 });
      const sale = chargeQuestion("sale");
      const answer = await processor.charge(sale, AbortSignal.timeout(10_000));
      assert.equal(answer.kind, "approved");
      assert.equal(host.balance(sale.transactionId), 1000);
    });

  for (const [rule, expected, deadlineMs] of [
    [{ what: "disconnect-after" }, "unanswered", 250],
    [{ what: "half" }, "unanswered", 250],
    [{ what: "error-before" }, "unanswered", 250],
    [{ what: "silent-before" }, "unanswered", 250],
    [{ what: "busy" }, "not-sent", 10_000],
  ] as const satisfies readonly (readonly [Rule, string, number])[])
    test(`${rule.what}, always: ${expected}, and never a no`, async () => {
      host.misbehave(rule);
      assert.equal((await processor.charge(chargeQuestion("sale"), AbortSignal.timeout(deadlineMs))).kind, expected);
    });

  test("while the first is at work, the second waits for its answer", async () => {
    host.misbehave({ what: "delay", ms: 150, times: 1 });
    const sale = chargeQuestion("sale");
    const ask = () => processor.charge(sale, AbortSignal.timeout(10_000));
    const [one, other] = await Promise.all([ask(), ask()]);
    assert.deepEqual([one.kind, other], ["approved", one]);
    assert.equal(host.balance(sale.transactionId), 1000);
  });

  test("a card number that Adyen cannot read is a decline that the payer can mend", async () => {
    const answer = await processor.charge(chargeQuestion("sale", { number: "41111111" }), AbortSignal.timeout(10_000));
    assert.ok(answer.kind === "declined");
    assert.deepEqual([answer.category, answer.processorResponse.code], ["wrong-data", "101"]);
  });

  test("what wants a challenge is for nobody's browser: action-required", async () => {
    const challenged = chargeQuestion("sale", { number: "4000000000003220" });
    assert.equal((await processor.charge(challenged, AbortSignal.timeout(10_000))).kind, "action-required");
  });

  const checked = async (settings: object = {}) => {
    const other = openAdyen({ ...ACCOUNT, base_url: host.baseUrl, ...settings });
    const found = await other.check?.(AbortSignal.timeout(10_000));
    await other.close();
    return found?.map(({ what, result }) => `${what}: ${result}`);
  };

  test("a check says which of key, account, cards and raw numbers is not right, and moves nothing", async () => {
    const account = "API key and merchant account";
    const moved = host.items().length;
    assert.deepEqual(await checked(), [`${account}: ok`, "cards: ok", "full card numbers: ok", "webhooks: unknown"]);
    assert.deepEqual(await checked({ api_key: "wrong" }), [`${account}: wrong`, "webhooks: unknown"]);
    assert.deepEqual(await checked({ merchant_account: "Other" }), [`${account}: wrong`, "webhooks: unknown"]);
    assert.deepEqual(await checked({ base_url: "http://127.0.0.1:9" }), [`${account}: unknown`, "webhooks: unknown"]);
    host.rawCards = false;
    assert.equal((await checked())?.[2], "full card numbers: wrong");
    assert.equal((await processor.charge(chargeQuestion("sale"), AbortSignal.timeout(10_000))).kind, "not-sent");
    assert.equal(host.items().length, moved);
  });
});

/** As Adyen's document has them: generic-400 and so on. */
const ERRORS = [
  [400, "702", 'Unexpected input: ", expected: }', "validation"],
  [401, "000", "HTTP Status Response - Unauthorized", "security"],
  [403, "901", "Invalid Merchant Account", "security"],
  [422, "14_030", "Return URL is missing.", "validation"],
  [500, "905", "Payment details are not supported", "configuration"],
] as const;

test("whoever reads a question and refuses it can be reached, whoever turns it away unread or fails at it cannot", async (t) => {
  let [status, errorCode, message, errorType]: (typeof ERRORS)[number] = ERRORS[0];
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ status, errorCode, message, errorType }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const processor = openAdyen({
    ...ACCOUNT,
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v72`,
  });
  t.after(async () => {
    await processor.close();
    server.close();
  });
  const found: (readonly [number, boolean])[] = [];
  for ([status, errorCode, message, errorType] of ERRORS) {
    const { reachable, detail } = await processor.health(AbortSignal.timeout(10_000));
    assert.ok(detail.includes(message), detail);
    found.push([status, reachable]);
  }
  assert.deepEqual(found, [
    [400, true],
    [401, false],
    [403, false],
    [422, true],
    [500, false],
  ]);
});

const SETTINGS = withDefaults(ACCOUNT);

test("a sale with all that it may bring is a request of Adyen's, field by field", () => {
  const question = {
    ...chargeQuestion("sale", {
      reference: "019e2f3a-0000-7000-8000-000000000002",
      transactionId: "019e2f3a-0000-7000-8000-000000000001",
      fields: {
        first_name: "Ada",
        last_name: "Lovelace",
        email: "ada@example.com",
        mobile_phone: "+1 (514) 555-0100",
        street_address_1: "1 Main St",
        city: "Los Gatos",
        state: "CA",
        country: "US",
        zip: "95030-1234",
        document_number: "12345678909",
        dynamic_descriptor: "Northwind|é€5145550100",
      },
      threeDSecure: { xid: "AAAA", eci: "05", cavv: "AAABBEg0VhI0VniQEjRWAAAAAAA=", status: "Y", version: 1 },
    }),
    passengers: [
      {
        id: "1",
        passenger_name: "LOVELACE / ADA MS OF LONDON",
        ticket_number: "0741234567890",
        ticket_issuing_carrier_name: "KLM",
        ticket_issuing_carrier_code: "KL",
        ticket_issuing_city: "Amsterdam",
        ticket_issuing_date: "2030-05-01",
        restricted_ticket_indicator: false,
        fares: amountOf(1000n),
        legs: [
          {
            carrier_code: "KL",
            service_class: "Y",
            departure_airport: "YUL",
            destination_airport: "AMS",
            departure_date: "2030-06-01",
            flight_number: "672",
            fare_basis: "YOW",
            fare: amountOf(1000n),
          },
        ],
      },
    ],
  };
  const request = paymentRequest(question, SETTINGS);
  assert.ok(request);
  againstOpenApi({ path: "/payments", body: { ...request } });
  assert.deepEqual(request, {
    merchantAccount: "TestMerchant",
    reference: "019e2f3a-0000-7000-8000-000000000001_019e2f3a-0000-7000-8000-000000000002_s",
    merchantOrderReference: "order 1",
    amount: { currency: "USD", value: 1000 },
    returnUrl: "https://checkout.invalid/",
    shopperInteraction: "Ecommerce",
    authenticationData: { attemptAuthentication: "never" },
    paymentMethod: {
      type: "scheme",
      number: "4111111111111111",
      expiryMonth: "12",
      expiryYear: "2099",
      cvc: "973",
      holderName: "Ada Lovelace",
    },
    captureDelayHours: 1,
    mpiData: {
      cavv: "AAABBEg0VhI0VniQEjRWAAAAAAA=",
      eci: "05",
      directoryResponse: "Y",
      authenticationResponse: "Y",
      xid: "AAAA",
    },
    shopperIP: "203.0.113.7",
    shopperName: { firstName: "Ada", lastName: "Lovelace" },
    shopperEmail: "ada@example.com",
    telephoneNumber: "+15145550100",
    socialSecurityNumber: "12345678909",
    countryCode: "US",
    billingAddress: {
      houseNumberOrName: "1",
      street: "Main St",
      city: "Los Gatos",
      postalCode: "95030",
      country: "US",
      stateOrProvince: "CA",
    },
    shopperStatement: "Northwind e5145550100",
    enhancedSchemeData: {
      airline: {
        passengerName: "LOVELACE / ADA MS OF",
        designatorCode: "KL",
        flightDate: "2030-06-01",
        ticket: { number: "0741234567890", issueAddress: "Amsterdam", issueDate: "2030-05-01" },
        passengers: [{ firstName: "ADA MS OF", lastName: "LOVELACE" }],
        legs: [
          {
            carrierCode: "KL",
            classOfTravel: "Y",
            departureAirportCode: "YUL",
            destinationAirportCode: "AMS",
            fareBasisCode: "YOW",
            flightNumber: "672",
            dateOfTravel: "2030-06-01T00:00",
          },
        ],
      },
    },
  });
});

test("an answer about another payment, or another amount, is none", () => {
  const asked = { reference: "ours", amount: { currency: "USD", value: 1000 } };
  const about = (body: object) =>
    isAbout({ kind: "told", underKey: false, body: { resultCode: "Authorised", ...body } }, asked);
  assert.ok(about({}) && about({ merchantReference: "ours", amount: { value: 1000, currency: "USD" } }));
  for (const other of [
    { merchantReference: "another" },
    { amount: { currency: "USD", value: 999 } },
    { amount: { currency: "CAD", value: 1000 } },
    { merchantReference: "ours", amount: null },
  ])
    assert.ok(!about(other), JSON.stringify(other));
});

test("an auth is captured by hand, a sale by Adyen after the delay that was set", () => {
  const auth = paymentRequest(chargeQuestion("auth"), SETTINGS);
  assert.deepEqual([auth?.additionalData, auth?.captureDelayHours], [{ manualCapture: "true" }, undefined]);
  const sale = paymentRequest(chargeQuestion("sale"), { ...SETTINGS, capture_delay_hours: 0 });
  assert.deepEqual([sale?.additionalData, sale?.captureDelayHours], [undefined, 0]);
});

test("a request with a field that Adyen does not know does not fit its document", { skip: !published }, () => {
  const body = { ...paymentRequest(chargeQuestion("sale"), SETTINGS), capture: true };
  assert.throws(() => againstOpenApi({ path: "/payments", body }), /PaymentRequest/);
});

test("amounts are in Adyen's own minor units, which differ from ISO 4217 for four currencies", () => {
  for (const [currency, hundredths, value] of [
    ["USD", 1050n, 1050],
    ["JPY", 1000n, 10],
    ["KWD", 125n, 1250],
    ["CLP", 1000n, 1000],
    ["ISK", 1000n, 1000],
    ["CVE", 1000n, 10],
    ["IDR", 1000n, 10],
    ["IDR", 1050n, undefined],
    ["USD", 999_999_900n, 999_999_900],
  ] as const)
    assert.equal(adyenValue(amountOf(hundredths), currency), value, currency);
});

test("a street is parted into house number and street where it says so", () => {
  for (const [line, house, street] of [
    ["1 Main St", "1", "Main St"],
    ["Hauptstr. 5b", "5b", "Hauptstr."],
    ["12-14 Rue X", "12-14", "Rue X"],
    ["Rose Cottage", "N/A", "Rose Cottage"],
    ["5 5", "N/A", "5 5"],
  ] as const) {
    const address = billingAddress({ street_address_1: line });
    assert.deepEqual([address?.houseNumberOrName, address?.street, address?.country], [house, street, "ZZ"], line);
  }
  assert.equal(billingAddress({ city: "Montreal" }), null);
});

test("our reference has 80 characters at most, and is read back whole or not at all", () => {
  const referred = {
    transactionId: "019e2f3a-0000-7000-8000-000000000001",
    reference: "019e2f3a-0000-7000-8000-000000000002",
  };
  for (const type of ["sale", "auth", "capture", "void", "refund"] as const) {
    const text = renderReference({ ...referred, type });
    assert.ok(text.length <= 80);
    assert.deepEqual(parseReference(text), { ...referred, type });
    for (const other of [text.slice(1), `${text}x`, text.toUpperCase(), ""]) assert.equal(parseReference(other), null);
  }
});

test("every refusal has a code that an event may show, and advice of Mastercard's sharpens its category", () => {
  for (const code of Object.keys(REFUSALS)) assert.match(codeOf(code), /^\d{2}$/);
  for (const [code, advice, category] of [
    ["2", undefined, "refused"],
    ["2", "03 : Do not try again", "do-not-retry"],
    ["12", "21", "do-not-retry"],
    ["2", "02: Try again later", "try-later"],
    ["12", "02", "insufficient-funds"],
    ["2", "01", "wrong-data"],
    ["999", undefined, "refused"],
    [undefined, undefined, "refused"],
    ["38", undefined, "authentication-required"],
  ] as const)
    assert.equal(categoryOf(refusalOf(code), advice), category, `${code} ${advice}`);
});

test("what must not be tried again, at whatever processor, is among those codes", () => {
  const of = (...categories: readonly string[]) =>
    Object.entries(REFUSALS).flatMap(([code, { category }]) => (categories.includes(category) ? [Number(code)] : []));
  assert.deepEqual(of("do-not-retry"), [5, 18, 26, 34, 35, 46]);
  assert.deepEqual(of("suspected-fraud"), [14, 20, 22, 31]);
});

test("test and live platforms have their addresses, and another may be set", () => {
  assert.equal(baseUrlOf(ACCOUNT), "https://checkout-test.adyen.com/v72");
  assert.equal(
    baseUrlOf({ ...ACCOUNT, live_url_prefix: "1797a841fbb37ca7-Shop" }),
    "https://1797a841fbb37ca7-Shop-checkout-live.adyenpayments.com/checkout/v72",
  );
  assert.equal(baseUrlOf({ ...ACCOUNT, base_url: "https://proxy.example.com/v72/" }), "https://proxy.example.com/v72");
});

test("http is for this machine only, and keys are of their form", () => {
  const kind = PROCESSOR_KINDS.get("adyen");
  assert.deepEqual(kind?.secretSettings, ["api_key", "hmac_key", "previous_hmac_key", "webhook_password"]);
  for (const wrong of [{ base_url: "http://example.com" }, { hmac_key: "short" }, { live_url_prefix: "a.b/c" }])
    assert.throws(() => openAdyen({ ...ACCOUNT, ...wrong }), TypeError);
});
