// Money of currencies without hundredths and with thousandths, from the request to an acquirer's books and back: nothing is
// rounded, and what is no money is refused.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { testHost, testSettings } from "../conformance/iso8583-subject.ts";
import { startTestGateway, told } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, leg, merchantOf, passenger, sale } from "./merchant.fixture.ts";

const WRITING = { framing: "binary-2", digits: "bcd", bitmap: "binary" } as const;

describe("a processor in yen and one in Kuwaiti dinars", () => {
  let gateway: Gateway;
  let host: Awaited<ReturnType<typeof testHost>>;
  let yen: string;
  let dinar: string;
  before(async () => {
    gateway = await startTestGateway();
    host = await testHost(WRITING);
    const record = (currency: string) =>
      merchantOf(gateway).processor({ kind: "iso8583", currency, settings: testSettings(host.port, WRITING) });
    [yen, dinar] = [await record("JPY"), await record("KWD")];
  });
  after(async () => {
    await gateway.close();
    await host.stop();
  });

  const charge = (over: Json, path: "sale" | "auth" = "sale") => merchantOf(gateway).charge(path, sale(over));

  test("1000.50 yen are refused with what to do, and nothing reaches the processor", async () => {
    const answer = await charge({ processor_id: yen, amount: "1000.50" });
    assert.equal(told(answer), "422 amount");
    assert.equal(answer.headers.get("faregate-refusal"), "amount-not-in-currency");
    assert.deepEqual(answer.body.error.message.amount, [
      "The currency of this charge has no hundredths: the amount must be whole, like 1000.00.",
    ]);
    for await (const entry of host.books.entries()) assert.equal(entry.kind, "settled", "no operation is in the books");
    assert.equal(told(await charge({ processor_id: yen, amount: 0.01 }, "auth")), "422 amount");
  });

  test("whole yen go as they are and come back with two decimals", async () => {
    for (const amount of ["1000", 1000, "1000.00", "1000.0"]) {
      const { id, events } = expectStatus(await charge({ processor_id: yen, amount }), 200).body.transaction;
      assert.deepEqual([events[0].amount, events[0].success], ["1000.00", true]);
      assert.equal(host.books.balance(id), 1000n);
    }
    const most = expectStatus(await charge({ processor_id: yen, amount: "9999999" }), 200).body.transaction;
    assert.equal(host.books.balance(most.id), 9_999_999n);
  });

  test("dinars are counted in fils at the processor, and single fils are refused like all third decimals", async () => {
    const { id } = expectStatus(await charge({ processor_id: dinar, amount: "1.25" }), 200).body.transaction;
    assert.equal(host.books.balance(id), 1_250n);
    assert.equal(told(await charge({ processor_id: dinar, amount: "1.255" })), "422 amount");
    const most = expectStatus(await charge({ processor_id: dinar, amount: "9999999" }), 200).body.transaction;
    assert.equal(host.books.balance(most.id), 9_999_999_000n);
  });

  test("a follow-up's currency, if it is sent, is that of the charge, and one of another currency moves nothing", async () => {
    const { found, follow } = merchantOf(gateway);
    const sold = async () =>
      expectStatus(await charge({ processor_id: yen, amount: "1000" }), 200).body.transaction.id as string;
    const id = await sold();
    for (const [operation, body] of [
      ["refund", { amount: "1", currency: "USD" }],
      ["refund", { currency: "KWD" }],
      ["void", { currency: "USD" }],
      ["reversal", { currency: "USD" }],
    ] as const) {
      const answer = await follow(id, operation, body);
      assert.equal(told(answer), "422 currency", `${operation} ${JSON.stringify(body)}`);
      assert.deepEqual(answer.body.error.message.currency, ["This processor charges in JPY."]);
    }
    assert.equal(told(await follow(id, "refund", { amount: "1.5", currency: "USD" })), "422 amount currency");
    assert.equal(told(await follow(id, "refund", { amount: "x", currency: "USD" })), "422 amount currency");
    assert.equal(told(await follow(id, "refund", { currency: "yen" })), "422 currency");
    assert.equal((await found(id)).events.length, 1);
    expectStatus(await follow(id, "refund", { amount: "400", currency: "JPY" }), 200);
    expectStatus(await follow(id, "refund", { amount: "100", currency: "" }), 200);
    expectStatus(await follow(id, "reversal", { currency: "JPY" }), 200);
    assert.equal(host.books.balance(id), 0n);
  });

  test("captures, voids and refunds of a part add up at the processor, and a half yen of them is refused", async () => {
    const { follow, found } = merchantOf(gateway);
    const { id } = expectStatus(await charge({ processor_id: yen, amount: "1000" }, "auth"), 200).body.transaction;
    expectStatus(await follow(id, "capture", { amount: "333" }), 200);
    assert.equal(told(await follow(id, "capture", { amount: "333.50" })), "422 amount");
    expectStatus(await follow(id, "capture", { amount: "334.00" }), 200);
    expectStatus(await follow(id, "void", { amount: "333.00" }), 200);
    expectStatus(await follow(id, "refund", { amount: "1" }), 200);
    assert.equal(host.books.balance(id), 666n);
    expectStatus(await follow(id, "refund"), 200);
    assert.equal(host.books.balance(id), 0n);
    const amounts = (await found(id)).events.map(({ event_type, amount }: Json) => `${event_type} ${amount}`);
    assert.deepEqual(amounts, [
      "refund 666.00",
      "refund 1.00",
      "void 333.00",
      "capture 334.00",
      "capture 333.00",
      "auth 1000.00",
    ]);
  });

  test("each fare, and each passenger's part, is money of the currency", async () => {
    const fares = (...given: string[]) =>
      given.map((fare, index) => passenger({ passenger_name: `P${index}`, legs: [leg({ fare })] }));
    const airline = (amount: string, ...given: string[]) =>
      charge({ processor_id: yen, amount, passenger_transport: fares(...given) });
    assert.equal(
      told(await airline("200.00", "100.50", "99.50")),
      "422 passenger_transport.0.legs.0.fare passenger_transport.1.legs.0.fare",
    );
    const { id, passengers } = expectStatus(await airline("300.00", "100", "200"), 200).body.transaction;
    assert.equal(host.books.balance(id), 300n);
    const parts = (...amounts: string[]) =>
      amounts.map((amount, index) => ({ passenger_id: passengers[index].id, amount }));
    const refund = (amount: string, ...amounts: string[]) =>
      merchantOf(gateway).follow(id, "refund", { amount, passenger_transport: parts(...amounts) });
    assert.equal(
      told(await refund("11.00", "5.50", "5.50")),
      "422 passenger_transport.0.amount passenger_transport.1.amount",
    );
    expectStatus(await refund("11.00", "5.00", "6.00"), 200);
    assert.equal(host.books.balance(id), 289n);
  });
});
