// Fields that only some processor records demand (specification 4.1, decisions R7 and R15): the CVV of some brands, names,
// a Brazilian tax-payer number. A record that is named refuses a charge without them; one that is drawn is not drawn.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CARD_BRANDS } from "../../src/payment/card-brand.ts";
import { startTestGateway, told } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  newMerchant,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

const NUMBERS: Readonly<Record<string, string>> = {
  visa: "4111111111111111",
  mastercard: "5555555555554444",
  amex: "378282246310005",
  discover: "6011111111111117",
  diners: "30569309025904",
  jcb: "3566002020360505",
  unionpay: "6200000000000005",
  maestro: "6759649826438453",
  elo: "6362970000457013",
  hipercard: "6062826786276634",
  unknown: "9999999999999995",
};
const CPF = "111.444.777-35";

describe("conditional fields", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const charge = (over: Json, token?: string, path = "sale") =>
    gateway.post(`/api/transactions/${path}`, sale(over), token === undefined ? {} : { token });

  test("the CVV is demanded of the brands that the record names, and of no others", async () => {
    const { processor } = merchantOf(gateway);
    for (const cvv of [[], ["visa"], ["amex", "elo", "unknown"], [...CARD_BRANDS]]) {
      const processor_id = await processor({ requires: { cvv } });
      for (const brand of CARD_BRANDS) {
        const card = { processor_id, card_number: NUMBERS[brand] };
        const expected = cvv.includes(brand) ? "422 card_cvv" : "200";
        assert.equal(told(await charge(card)), expected, `${brand} of ${cvv}`);
        const with3 = expectStatus(await charge({ ...card, card_cvv: "123" }), 200);
        assert.equal(transactionOf(with3).card_brand, brand);
      }
    }
  });

  test("names are demanded of two characters or more, each by itself, on sale and auth", async () => {
    const processor_id = await merchantOf(gateway).processor({ requires: { names: true } });
    for (const [first_name, last_name, expected] of [
      ["Jo", "Do", "200"],
      ["李明", "é漢", "200"],
      ["\u{1f600}\u{1f600}", "Do", "200"],
      ["J", "Do", "422 first_name"],
      ["\u{1f600}", "Do", "422 first_name"],
      ["Jo", "D", "422 last_name"],
      ["J", "D", "422 first_name last_name"],
      ["", null, "422 first_name last_name"],
      [undefined, "Doe", "422 first_name"],
    ] as const)
      for (const path of ["sale", "auth"])
        assert.equal(
          told(await charge({ processor_id, first_name, last_name }, undefined, path)),
          expected,
          `${first_name} ${last_name}`,
        );
  });

  test("a CPF or CNPJ is demanded with right check digits, bare or with its punctuation, and echoed as sent", async () => {
    const processor_id = await merchantOf(gateway).processor({ currency: "BRL", requires: { document: true } });
    for (const document_number of [
      "11144477735",
      CPF,
      "11222333000181",
      "11.222.333/0001-81",
      "12ABC34501DE35",
      "12.ABC.345/01DE-35",
    ])
      assert.equal(
        transactionOf(expectStatus(await charge({ processor_id, document_number }), 200)).document_number,
        document_number,
      );
    expectStatus(await charge({ processor_id, document_number: 11144477735 }), 200);
    for (const document_number of [
      undefined,
      "",
      "11144477736",
      "111.444.777-36",
      "111.44477735",
      "111-444-777.35",
      "11111111111",
      "11222333000182",
      "11.222.333/000181",
      "12abc34501de35",
      "12ABC34501DE36",
      "12ABC34501DEA5",
      "00000000000000",
      "111444777350000",
      "1114447773",
      " 11144477735",
    ])
      assert.equal(told(await charge({ processor_id, document_number })), "422 document_number", document_number);
  });

  test("a document that only lacks capitals is told so, and wrong check digits are not blamed", async () => {
    const processor_id = await merchantOf(gateway).processor({ currency: "BRL", requires: { document: true } });
    const textOf = async (document_number: string) =>
      (await charge({ processor_id, document_number })).body.error.message.document_number;
    const capitals = ["The letters of a CNPJ must be capitals."];
    // The Receita Federal's own example, 12.ABC.345/01DE-35.
    for (const small of ["12abc34501de35", "12.abc.345/01de-35", "12ABC34501dE35", "12.Abc.345/01DE-35"])
      assert.deepEqual(await textOf(small), capitals, small);
    const wrong = ["The processor requires a CPF or CNPJ with correct check digits."];
    for (const other of ["12abc34501de36", "11144477736", "any text at all"])
      assert.deepEqual(await textOf(other), wrong, other);
  });

  test("elsewhere a document is any text of 11 to 20 characters, and echoed", async () => {
    for (const document_number of ["any text at all", "11144477736", "é".repeat(11), "x".repeat(20)])
      assert.equal(
        transactionOf(expectStatus(await charge({ document_number }), 200)).document_number,
        document_number,
      );
  });

  test("all that a named record misses is told at once, beside what else does not fit it", async () => {
    const { processor } = merchantOf(gateway);
    const requires = { cvv: ["visa"], names: true, document: true };
    const all = await processor({ requires });
    assert.equal(told(await charge({ processor_id: all })), "422 card_cvv document_number first_name last_name");
    const given = { card_cvv: "123", first_name: "Jo", last_name: "Do", document_number: CPF };
    expectStatus(await charge({ processor_id: all, ...given }), 200);
    const narrow = await processor({ requires, settings: { card_brands: ["amex"] } });
    assert.equal(
      told(await charge({ processor_id: narrow, currency: "EUR" })),
      "422 card_cvv card_number currency document_number first_name last_name",
    );
  });

  test("a field that is malformed is told by itself, together with what else the record misses", async () => {
    const processor_id = await merchantOf(gateway).processor({ requires: { cvv: ["visa"], names: true } });
    assert.equal(told(await charge({ processor_id, card_cvv: "12" })), "422 card_cvv first_name last_name");
    assert.equal(
      told(await charge({ processor_id, first_name: 7, last_name: "Do", card_cvv: "123" })),
      "422 first_name",
    );
  });

  test("only records are drawn whose fields are all there, and all of those", async () => {
    const own = await newMerchant(
      gateway,
      { requires: { cvv: ["visa", "amex"] } },
      { requires: { names: true } },
      { requires: { document: true } },
    );
    const names = { first_name: "Jo", last_name: "Do" };
    for (const [given, drawable] of [
      [{ card_cvv: "123" }, [0]],
      [names, [1]],
      [{ document_number: CPF }, [2]],
      [{ card_number: NUMBERS.mastercard }, [0]],
      [{ card_number: NUMBERS.mastercard, ...names }, [0, 1]],
      [{ card_cvv: "123", ...names, first_name: "J" }, [0]],
      [{ card_cvv: "123", document_number: "11144477736" }, [0]],
      [{ card_cvv: "123", document_number: CPF }, [0, 2]],
      [{ card_cvv: "123", document_number: CPF, ...names }, [0, 1, 2]],
    ] as const) {
      const drawn = new Set<number>();
      // Of three records one is never drawn in 40 with a chance of 1 in 3,700,000.
      for (let charges = 0; charges < (drawable.length === 1 ? 5 : 40); charges++)
        drawn.add(
          own.processors.indexOf(transactionOf(expectStatus(await charge(given, own.token), 200)).processor_id),
        );
      assert.deepEqual([...drawn].sort(), drawable, JSON.stringify(given));
    }
  });

  test("where none can be drawn, what would have made a choice possible is named, each field once", async () => {
    const { token } = await newMerchant(
      gateway,
      { requires: { cvv: ["visa"] } },
      { requires: { cvv: ["visa"], names: true } },
      { requires: { document: true }, settings: { card_brands: ["visa"] } },
      { requires: { names: true }, settings: { card_brands: ["amex"] } },
      { enabled: false },
      { in_rotation: false },
    );
    assert.equal(told(await charge({}, token)), "422 card_cvv document_number first_name last_name");
    assert.equal(told(await charge({ first_name: "Jo" }, token)), "422 card_cvv document_number last_name");
    assert.equal(told(await charge({ currency: "EUR" }, token)), "422 currency");
    expectStatus(await charge({ card_cvv: "123" }, token), 200);
  });

  test("with no record in rotation one has to be named", async () => {
    const { token, processors } = await newMerchant(gateway, { in_rotation: false }, { enabled: false });
    assert.equal(told(await charge({}, token)), "422 processor_id");
    expectStatus(await charge({ processor_id: processors[0] }, token), 200);
    assert.equal(told(await charge({ processor_id: processors[1] }, token)), "422 processor_id");
    assert.equal(told(await charge({ processor_id: gateway.sandbox.processors.usd }, token)), "422 processor_id");
  });

  test("a currency has to be named where the records that are left have several, and only then", async () => {
    const { token, processors } = await newMerchant(
      gateway,
      { currency: "USD", requires: { names: true } },
      { currency: "EUR", settings: { card_brands: ["visa", "mastercard"] } },
      { currency: "EUR", settings: { card_brands: ["visa", "mastercard"] } },
    );
    const names = { first_name: "Jo", last_name: "Do" };
    const drawn = async (given: Json) =>
      processors.indexOf(transactionOf(expectStatus(await charge(given, token), 200)).processor_id);
    for (let charges = 0; charges < 5; charges++) {
      assert.equal(told(await charge(names, token)), "422 currency");
      assert.ok((await drawn({})) > 0, "the records in EUR are those that can");
      assert.ok((await drawn({ ...names, currency: "EUR" })) > 0);
      assert.equal(await drawn({ ...names, currency: "USD" }), 0);
      assert.equal(await drawn({ ...names, card_number: NUMBERS.amex }), 0);
    }
    assert.equal(told(await charge({ currency: "USD" }, token)), "422 first_name last_name");
    assert.equal(told(await charge({ currency: "EUR", card_number: NUMBERS.amex }, token)), "422 card_number");
    assert.equal(told(await charge({ currency: "CAD" }, token)), "422 currency");
  });

  test("each record is drawn as often as any other", async () => {
    const { token, processors } = await newMerchant(gateway, {}, {}, {}, {});
    const drawn = new Map(processors.map((id) => [id, 0]));
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => charge({}, token)));
      for (const answer of answers) {
        const { processor_id } = transactionOf(expectStatus(answer, 200));
        drawn.set(processor_id, (drawn.get(processor_id) ?? 0) + 1);
      }
    }
    // 100 are expected of each, give or take 8.7: six times that is missed once in 500 million.
    for (const count of drawn.values()) assert.ok(Math.abs(count - 100) < 52, [...drawn.values()].join(" "));
  });

  test("what a record demands is told to the merchant", async () => {
    const requires = { cvv: ["visa", "amex"], names: true, document: true };
    const { token } = await newMerchant(gateway, { requires }, {});
    const { processors } = (await gateway.get("/api/processors", { token })).body;
    assert.deepEqual(
      processors.map((one: { requires: object }) => one.requires),
      [requires, { cvv: [], names: false, document: false }],
    );
  });
});
