// 3-D Secure over HTTP: what the merchant's 3DS provider found out, told to the processor and on the event (specification
// 4.4, decisions 5).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { UNVERIFIABLE_CAVV } from "../../src/processors/simulator/charge.ts";
import { startTestGateway, told } from "./gateway.ts";
import { expectStatus, type Gateway, sale, THREE_D_SECURE, transactionOf } from "./merchant.fixture.ts";

const CARDS = {
  visa: "4111111111111111",
  mastercard: "5555555555554444",
  amex: "378282246310005",
  discover: "6011111111111117",
  unknown: "9999999999999995",
} as const;

/** As a provider of version 2 gives them. */
const DIRECTORY = { threeds_xid: "f38e6948-5388-41a6-bca4-b49723c19437", threeds_version: "2.2.0" };

describe("3-D Secure", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const secured = (over: object = {}) => sale({ ...THREE_D_SECURE, ...over });
  const charge = (json: object, path = "sale") => gateway.post(`/api/transactions/${path}`, json);
  const charged = async (json: object, path = "sale") => transactionOf(expectStatus(await charge(json, path), 200));
  const ignoredOf = async (json: object) =>
    expectStatus(await charge(json), 200).headers.get("faregate-ignored-fields");

  test("the status becomes the outcome on the event, its letter beside it, and no status blocks a charge", async () => {
    for (const [status, eci, outcome] of [
      ["Y", "05", "success"],
      ["A", "06", "attempted"],
      ["N", "07", "failed"],
      ["U", "07", "unavailable"],
    ]) {
      for (const path of ["sale", "auth"]) {
        const { events } = await charged(secured({ threeds_status: status, threeds_eci: eci }), path);
        const { success, threeds_response, processor_threeds_response, processor_code_detail } = events[0];
        assert.deepEqual(
          [success, threeds_response, processor_threeds_response, processor_code_detail],
          [true, outcome, status, null],
        );
      }
    }
  });

  test("all values come back as they were sent, the version as a number, and only if it was sent", async () => {
    const values = { ...THREE_D_SECURE, threeds_version: 2 };
    for (const [sent, expected] of [
      [{}, THREE_D_SECURE],
      [{ threeds_version: 2 }, values],
      [{ threeds_version: "2" }, values],
      [{ threeds_version: 1 }, { ...values, threeds_version: 1 }],
      ...["1.0.2", "2.1.0", "2.2.0", "2.3.1"].map((text) => [
        { threeds_version: text },
        { ...values, threeds_version: text },
      ]),
      [DIRECTORY, { ...values, ...DIRECTORY }],
      [
        { ...DIRECTORY, threeds_version: 2 },
        { ...values, ...DIRECTORY, threeds_version: 2 },
      ],
    ]) {
      const transaction = await charged(secured(sent));
      const shown = Object.fromEntries(Object.entries(transaction).filter(([name]) => name.startsWith("threeds_")));
      assert.deepEqual(shown, expected);
      assert.deepEqual((await gateway.get(`/api/transactions/${transaction.id}`)).body.transaction, transaction);
    }
  });

  test("an ECI that does not go with brand and status is noted, and the charge goes on", async () => {
    for (const [brand, status, eci, expected] of [
      ["visa", "Y", "05", null],
      ["visa", "Y", "06", "05"],
      ["visa", "A", "05", "06"],
      ["visa", "N", "05", "07"],
      ["amex", "U", "06", "07"],
      ["discover", "Y", "02", "05"],
      ["mastercard", "Y", "02", null],
      ["mastercard", "Y", "07", null],
      ["mastercard", "Y", "05", "02 or 07"],
      ["mastercard", "A", "01", null],
      ["mastercard", "A", "06", "01"],
      ["mastercard", "N", "00", null],
      ["mastercard", "U", "07", "00 or 04 or 06"],
      ["unknown", "Y", "99", null],
    ] as const) {
      const { events } = await charged(
        secured({ card_number: CARDS[brand], threeds_status: status, threeds_eci: eci }),
      );
      const note = expected && `ECI ${eci} does not go with ${brand} and 3DS status ${status}: expected ${expected}`;
      assert.deepEqual([events[0].success, events[0].processor_code_detail], [true, note], `${brand} ${status} ${eci}`);
    }
  });

  test("a cavv that the processor cannot verify is an error on the event, whatever the status", async () => {
    for (const [status, eci] of [
      ["Y", "05"],
      ["N", "07"],
    ]) {
      const { events } = await charged(
        secured({ threeds_cavv: UNVERIFIABLE_CAVV, threeds_status: status, threeds_eci: eci }),
      );
      const { success, threeds_response, processor_threeds_response, processor_code_detail } = events[0];
      assert.deepEqual([success, threeds_response, processor_threeds_response], [true, "error", status]);
      assert.equal(processor_code_detail, "The cavv could not be verified");
    }
    const { events } = await charged(secured({ threeds_cavv: UNVERIFIABLE_CAVV, threeds_eci: "06" }));
    assert.match(events[0].processor_code_detail, /^ECI 06 .+ 05; The cavv could not be verified$/);
  });

  test("a follow-up has no outcome of its own, and the charge keeps its", async () => {
    const { id } = await charged(secured(), "auth");
    const { events } = transactionOf(await gateway.post(`/api/transactions/${id}/capture`));
    assert.deepEqual(
      events.map((event: { threeds_response: string | null }) => event.threeds_response),
      [null, "success"],
    );
  });

  test("without threeds_enabled the other fields are ignored, whatever is in them, and named", async () => {
    const others = { threeds_xid: "%%%", threeds_eci: [], threeds_cavv: {}, threeds_status: 7, threeds_version: 3 };
    const names = "threeds_xid, threeds_eci, threeds_cavv, threeds_status, threeds_version";
    for (const off of [undefined, null, "", false, "false", "False", 0, "0"]) {
      const answer = expectStatus(await charge(sale({ ...others, threeds_enabled: off })), 200);
      assert.equal(answer.headers.get("faregate-ignored-fields"), names, String(off));
      const { events, ...transaction } = transactionOf(answer);
      assert.deepEqual([events[0].threeds_response, events[0].processor_threeds_response], [null, null]);
      assert.deepEqual(
        Object.entries(transaction).filter(([name]) => name.startsWith("threeds_")),
        off === undefined || off === null || off === "" ? [] : [["threeds_enabled", false]],
      );
    }
    assert.equal(await ignoredOf(sale({ threeds_enabled: false })), null);
    assert.equal(await ignoredOf(secured()), null);
  });

  test("every way to say true enables it: a boolean, a number, a text", async () => {
    for (const on of [true, 1, "true", "1", "True", "TRUE"])
      assert.equal((await charged(secured({ threeds_enabled: on }))).events[0].threeds_response, "success", String(on));
  });

  test("what is neither true nor false is an error of threeds_enabled, not of the gateway", async () => {
    for (const neither of ["maybe", "yes", 2, 1.5, [], [true], {}, { a: 1 }, [{ a: "x" }]])
      assert.equal(
        told(await charge(secured({ threeds_enabled: neither }))),
        "422 threeds_enabled",
        JSON.stringify(neither),
      );
  });

  test("enabled means complete: all that is missing is named at once, with the other errors", async () => {
    const missing = "threeds_cavv threeds_eci threeds_status threeds_xid";
    assert.equal(told(await charge(sale({ threeds_enabled: true }))), `422 ${missing}`);
    assert.equal(told(await charge(sale({ threeds_enabled: 1, amount: "x" }))), `422 amount ${missing}`);
    for (const empty of [undefined, null, ""])
      assert.equal(
        told(await charge(secured({ threeds_cavv: empty, threeds_status: empty }))),
        "422 threeds_cavv threeds_status",
      );
    for (const format of ["form", "multipart"]) {
      const json = sale({ threeds_enabled: 1 });
      assert.equal(told(await gateway.call("POST", "/api/transactions", { [format]: json })), `422 ${missing}`);
    }
  });

  test("each field at its limit and just past it", async () => {
    const base64 = (length: number) => "A".repeat(length);
    for (const [field, right, wrong] of [
      ["threeds_xid", ["AAAA", "AAA=", "AA==", "a+/9", base64(252)], ["AAA", "A===", "AAA-", "AA A", "=", base64(256)]],
      [
        "threeds_cavv",
        ["AAAA", "AAA=", "AA==", "a+/9", base64(252)],
        ["AAA", "A===", "AAA-", "AA A", "=", base64(256)],
      ],
      ["threeds_eci", ["00", "05", "99"], ["5", 5, "005", "AB", "٠٥", "-5"]],
      ["threeds_status", ["Y", "N", "A", "U"], ["y", "X", "YY", " Y"]],
      [
        "threeds_version",
        ["1", "2", 1, 2, "1.0.2", "2.1.0", "2.2.0", "2.3.0", "2.3.1", "2.10.0"],
        ["0", "3", "3.0.0", "2.1", 2.1, "11", "2.1.0.0", "2.1.", "2.x.0", "v2.1.0", "2.1.0 ", "2.100.0", "٢"],
      ],
    ] as const) {
      for (const value of right)
        assert.equal((await charge(secured({ [field]: value }))).status, 200, `${field} ${value}`);
      for (const value of wrong)
        assert.equal(told(await charge(secured({ [field]: value }))), `422 ${field}`, `${field} ${value}`);
    }
  });

  test("a UUID is an id of version 2, and no other form of one is taken", async () => {
    const id = DIRECTORY.threeds_xid;
    for (const version of [2, "2", "2.1.0", "2.3.1"])
      for (const xid of [id, id.toUpperCase(), THREE_D_SECURE.threeds_xid])
        assert.equal((await charged(secured({ threeds_xid: xid, threeds_version: version }))).threeds_xid, xid);
    for (const version of [undefined, null, "", 1, "1.0.2"]) {
      const answer = await charge(secured({ threeds_xid: id, threeds_version: version }));
      assert.deepEqual(answer.body.error.message, {
        threeds_xid: ["is a UUID, which is an id of version 2: send threeds_version 2 too"],
      });
    }
    for (const xid of [`{${id}}`, `urn:uuid:${id}`, id.slice(1), `${id}0`, id.replace("f", "g"), ` ${id}`])
      assert.equal(told(await charge(secured({ threeds_xid: xid, threeds_version: 2 }))), "422 threeds_xid", xid);
    assert.equal(told(await charge(secured({ threeds_xid: id, threeds_version: "x" }))), "422 threeds_version");
  });

  test("the path without an operation, and every format, mean the same", async () => {
    for (const format of ["json", "form", "multipart"]) {
      for (const enabled of [true, 1]) {
        const body = secured({ threeds_enabled: enabled, threeds_version: 2, transaction_type: "auth" });
        const { body: answer, text } = await gateway.call("POST", "/api/transactions", { [format]: body });
        assert.equal(answer.transaction?.events[0].threeds_response, "success", `${format} ${text}`);
        assert.equal(answer.transaction.events[0].event_type, "auth");
      }
    }
  });
});
