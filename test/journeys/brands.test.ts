// Card brands over HTTP, where their number ranges lie in each other (decision A6): what the number says decides which
// records take it, whether it needs a CVV, and what is shown.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
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

/** A range that lies in another, with its first and last prefix, and the numbers just outside of it. */
const OVERLAPS = [
  ["elo in visa", "401178", "401179", "elo", "401177", "visa", "401180", "visa"],
  ["elo in visa", "438935", "438935", "elo", "438934", "visa", "438936", "visa"],
  ["elo in visa", "457631", "457632", "elo", "457630", "visa", "457633", "visa"],
  ["maestro in visa", "493698", "493698", "maestro", "493697", "visa", "493699", "visa"],
  ["mastercard beside others", "2221", "2720", "mastercard", "2220", "unknown", "2721", "unknown"],
  ["mastercard between maestro", "51", "55", "mastercard", "5099", "elo", "56", "maestro"],
  ["elo in maestro", "504175", "504175", "elo", "504174", "maestro", "504176", "maestro"],
  ["elo in maestro", "506699", "506778", "elo", "506698", "maestro", "506779", "maestro"],
  ["elo in maestro", "509000", "509999", "elo", "508999", "unknown", "510000", "mastercard"],
  ["others in maestro", "5019", "5019", "unknown", "5018", "maestro", "5020", "maestro"],
  ["elo in unionpay", "627780", "627780", "elo", "627779", "unionpay", "627781", "unionpay"],
  ["unionpay beside discover", "622126", "622925", "unionpay", "622125", "unionpay", "622926", "unionpay"],
  ["elo in discover", "650031", "650033", "elo", "650030", "discover", "650034", "discover"],
  ["elo in discover", "655021", "655058", "elo", "655020", "discover", "655059", "discover"],
  ["discover", "644", "649", "discover", "643", "unknown", "6500", "discover"],
  ["hipercard in diners", "384100", "384100", "hipercard", "384099", "diners", "384101", "diners"],
  ["hipercard", "606282", "606282", "hipercard", "606281", "unknown", "606283", "unknown"],
  ["hiper, told by eight digits", "63743358", "63743358", "hipercard", "63743357", "unknown", "63743359", "unknown"],
  ["jcb", "3528", "3589", "jcb", "3527", "unknown", "3590", "unknown"],
  ["diners and jcb", "3095", "3095", "diners", "3094", "jcb", "3096", "jcb"],
  ["amex", "34", "34", "amex", "33", "unknown", "35", "unknown"],
  ["amex", "37", "37", "amex", "36", "diners", "38", "diners"],
] as const;

const numberOf = (prefix: string, digits = 16) =>
  prefix.padEnd(digits - 1, "0") + luhnDigit(prefix.padEnd(digits - 1, "0"));

function luhnDigit(body: string): number {
  const sum = [...body].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

describe("card brands", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const charge = (over: Json, token?: string) =>
    gateway.post("/api/transactions/auth", sale(over), token === undefined ? {} : { token });
  const brandOf = async (card_number: string) =>
    transactionOf(expectStatus(await charge({ card_number }), 200)).card_brand;

  test("a range that lies in another begins and ends where it is published", async () => {
    for (const [name, first, last, brand, before, brandBefore, behind, brandBehind] of OVERLAPS)
      for (const [prefix, expected] of [
        [first, brand],
        [last, brand],
        [before, brandBefore],
        [behind, brandBehind],
      ] as const)
        assert.equal(await brandOf(numberOf(prefix)), expected, `${name}: ${prefix}`);
  });

  test("the number's length does not change its brand, but of Maestro, which has 12 digits or more", async () => {
    for (const [prefix, digits, brand] of [
      ["4", 8, "visa"],
      ["4", 13, "visa"],
      ["4", 19, "visa"],
      ["34", 8, "amex"],
      ["6759", 11, "unknown"],
      ["6759", 12, "maestro"],
      ["6759", 19, "maestro"],
      ["504175", 11, "elo"],
    ] as const)
      assert.equal(await brandOf(numberOf(prefix, digits)), brand, `${prefix} of ${digits}`);
  });

  test("the mask shows six and four digits, of a short number less, and lists find cards by the first six", async () => {
    const { token, processors } = await newMerchant(gateway, {});
    for (const [number, mask] of [
      [numberOf("401178"), "401178******0008"],
      [numberOf("34", 15), "340000*****0009"],
      [numberOf("6759", 12), "675900****00"],
      ["42222222", "4222****"],
      ["6759649826438453001", "675964*********3001"],
    ] as const) {
      const shown = transactionOf(expectStatus(await charge({ card_number: number }, token), 200));
      assert.deepEqual(
        [shown.card_number.replace(/\d{2}$/, ""), shown.processor_id],
        [mask.replace(/\d{2}$/, ""), processors[0]],
      );
    }
    const found = await gateway.get("/api/transactions?search[card_number]=401178********", { token });
    assert.deepEqual([found.body.meta.total, found.body.transactions[0].card_brand], [1, "elo"]);
  });

  test("a record takes the brands that its settings name: the inner range's, not the outer's", async () => {
    const { processor } = merchantOf(gateway);
    const onlyVisa = await processor({ settings: { card_brands: ["visa"] } });
    const onlyElo = await processor({ settings: { card_brands: ["elo"] } });
    for (const [prefix, processor_id, expected] of [
      ["401177", onlyVisa, "200"],
      ["401178", onlyVisa, "422 card_number"],
      ["401177", onlyElo, "422 card_number"],
      ["401178", onlyElo, "200"],
      ["650031", onlyElo, "200"],
      ["650030", onlyElo, "422 card_number"],
    ] as const)
      assert.equal(told(await charge({ processor_id, card_number: numberOf(prefix) })), expected, `${prefix}`);
  });

  test("without a processor_id the number's brand decides who can be drawn", async () => {
    const { token, processors } = await newMerchant(
      gateway,
      { settings: { card_brands: ["visa", "discover"] } },
      { settings: { card_brands: ["elo", "hipercard"] } },
      { settings: { card_brands: ["maestro", "mastercard"] }, requires: { cvv: ["maestro"] } },
    );
    for (const [prefix, record] of [
      ["401177", 0],
      ["401178", 1],
      ["650030", 0],
      ["650031", 1],
      ["509000", 1],
      ["510000", 2],
    ] as const) {
      const { processor_id } = transactionOf(expectStatus(await charge({ card_number: numberOf(prefix) }, token), 200));
      assert.equal(processors.indexOf(processor_id), record, prefix);
    }
    assert.equal(told(await charge({ card_number: numberOf("493698") }, token)), "422 card_cvv");
    expectStatus(await charge({ card_number: numberOf("493698"), card_cvv: "123" }, token), 200);
    for (const prefix of ["384099", "34", "622126", "3095", "5019"])
      assert.equal(told(await charge({ card_number: numberOf(prefix) }, token)), "422 card_number", prefix);
  });

  test("a CVV is demanded by the number's own brand", async () => {
    const processor_id = await merchantOf(gateway).processor({ requires: { cvv: ["elo"] } });
    assert.equal(told(await charge({ processor_id, card_number: numberOf("438935") })), "422 card_cvv");
    expectStatus(await charge({ processor_id, card_number: numberOf("438936") }), 200);
  });
});
