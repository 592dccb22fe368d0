// What a request may be (decisions 1) and what is answered to one that is not (decisions 3). Limits of single fields,
// 3-D Secure, conditional fields and idempotency keys have files of their own.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { inBrackets, type Request, startTestGateway, told } from "./gateway.ts";
import {
  assertErrorShape,
  SECRET_CARD,
  SECRET_CVV,
  type Sent,
  send,
  sendHarmlessly,
  stored,
} from "./harmless.fixture.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  NOBODY,
  newMerchant,
  passenger,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

const SALE = "/api/transactions/sale";
const FORM = "application/x-www-form-urlencoded";

describe("requests that are not as they should be", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const charge = (over: Json, request: Request = {}) => gateway.post(SALE, sale(over), request);
  const raw = (body: string, type: string, path = SALE) =>
    gateway.call("POST", path, { raw: body, headers: { "content-type": type } });
  const form = (fields: Json): string => new URLSearchParams(inBrackets(fields)).toString();
  /** Sends it and fails if anything was stored or given away. */
  const harmless = async (sent: Partial<Sent>) => {
    const { status } = await sendHarmlessly(gateway, { method: "POST", path: SALE, ...sent });
    return status;
  };

  describe("bodies", () => {
    test("JSON, urlencoded and multipart mean the same, and brackets nest", async () => {
      const body = sale({
        amount: "300.00",
        meta: { order: "A1", tags: ["x", "y"] },
        passenger_transport: [passenger(), passenger({ legs: [leg(), leg()] })],
      });
      for (const format of ["json", "form", "multipart"]) {
        const transaction = transactionOf(expectStatus(await gateway.call("POST", SALE, { [format]: body }), 200));
        assert.deepEqual(transaction.meta, { order: "A1", tags: ["x", "y"] }, format);
        assert.deepEqual(
          transaction.passengers.map(({ legs }: { legs: object[] }) => legs.length),
          [1, 2],
          format,
        );
      }
    });

    test("numbers and texts are interchangeable, and an amount is judged by its literal", async () => {
      for (const [json, expected] of [
        ['"amount": 1.10', "1.10"],
        ['"amount": "1.10"', "1.10"],
        ['"amount": 1', "1.00"],
        ['"amount": "007.50"', "7.50"],
        ['"amount": 9999999', "9999999.00"],
        ['"amount": 9999999.00', "9999999.00"],
        ['"amount": 0.01', "0.01"],
      ] as const) {
        const text = JSON.stringify(sale({ amount: undefined }));
        const answer = await raw(`${text.slice(0, -1)}, ${json}}`, "application/json");
        assert.equal(transactionOf(expectStatus(answer, 200)).events[0].amount, expected, json);
      }
      for (const literal of [
        "1.00000000000000000001",
        "1.100",
        "0.30000000000000004",
        "1e2",
        "1E0",
        "-1",
        "0",
        "0.00",
        "0.001",
        "9999999.01",
        "10000000",
        "1e400",
        "-0",
      ]) {
        const text = JSON.stringify(sale({ amount: undefined }));
        assert.equal(
          told(await raw(`${text.slice(0, -1)}, "amount": ${literal}}`, "application/json")),
          "422 amount",
          literal,
        );
      }
      for (const text of [
        "NaN",
        "Infinity",
        "0x10",
        "1,00",
        "1.",
        ".5",
        "+1",
        " 1",
        "1 ",
        "1e2",
        "١",
        "１",
        "1_000",
        "9999999.001",
        "-1",
        "--",
      ])
        for (const format of ["json", "form", "multipart"])
          assert.equal(
            told(await gateway.call("POST", SALE, { [format]: sale({ amount: text }) })),
            "422 amount",
            text,
          );
    });

    test("a number or a text is taken where the other stands in the table, and nothing else", async () => {
      const given = {
        merchant_transaction_id: 1,
        card_number: 4111111111111111,
        card_expiry_month: 12,
        card_expiry_year: 2039,
        card_cvv: 123,
        zip: 95030,
        mobile_phone: 15145550199,
      };
      const transaction = transactionOf(expectStatus(await charge(given), 200));
      assert.deepEqual(
        [transaction.merchant_transaction_id, transaction.card_expiry_month, transaction.zip, transaction.mobile_phone],
        ["1", "12", "95030", "15145550199"],
      );
      for (const wrong of [true, false, [], {}, ["1"], { a: 1 }])
        for (const field of [
          "merchant_transaction_id",
          "card_number",
          "card_expiry_year",
          "zip",
          "amount",
          "ip_address",
        ])
          assert.equal(told(await charge({ [field]: wrong })), `422 ${field}`, `${field} ${JSON.stringify(wrong)}`);
    });

    test("an empty text and a null are an absent field, in every format", async () => {
      for (const format of ["json", "form", "multipart"]) {
        const send = (body: object) => gateway.call("POST", SALE, { [format]: body });
        const empty = await send(sale({ city: "", zip: "", meta: "", card_cvv: "", processor_id: "", currency: "" }));
        const transaction = transactionOf(expectStatus(empty, 200));
        for (const field of ["city", "zip", "meta", "currency"])
          assert.ok(!(field in transaction), `${format} ${field}`);
        assert.equal(told(await send(sale({ amount: "", ip_address: "" }))), "422 amount ip_address");
      }
      const nulls = { city: null, meta: null, processor_id: null, passenger_transport: null, threeds_enabled: null };
      assert.ok(!("city" in transactionOf(expectStatus(await charge(nulls), 200))));
      assert.equal(told(await charge({ amount: null })), "422 amount");
    });

    test("meta is an object, in a form also as a JSON text, and nothing else, whatever JavaScript calls an object", async () => {
      for (const meta of [{ a: 1 }, { a: { b: [1, null, "x", 1.5] } }, {}])
        assert.deepEqual(transactionOf(expectStatus(await charge({ meta }), 200)).meta, meta);
      const asText = await gateway.call("POST", SALE, { form: sale({ meta: '{"order":"A1","n":1.10}' }) });
      assert.match(expectStatus(asText, 200).text, /"meta":\{"order":"A1","n":1.10\}/);
      for (const meta of [1, 1e2, true, "text", "[1]", "1", '{"a":1', "null", [], [1], ["a"]])
        assert.equal(told(await charge({ meta })), "422 meta", JSON.stringify(meta));
      assert.equal(
        told(await raw(`${JSON.stringify(sale()).slice(0, -1)},"meta":1E+2}`, "application/json")),
        "422 meta",
      );
    });

    test("what was answered is what the list shows: no charge breaks the lists of its merchant", async () => {
      expectStatus(await gateway.get("/api/transactions"), 200);
    });

    test("a line end after an urlencoded body is ignored", async () => {
      for (const end of ["\n", "\r\n", "\r\n\r\n"]) {
        const answer = await raw(`${form(sale({ zip: "95030" }))}${end}`, FORM);
        assert.equal(transactionOf(expectStatus(answer, 200)).zip, "95030");
      }
    });

    test("a body that does not parse is 400, whatever is wrong with it", async () => {
      const whole = JSON.stringify(sale());
      for (const body of [
        "{",
        '{"amount": 1',
        "[]",
        '"x"',
        "1",
        "null",
        "true",
        `${whole},`,
        `${whole}${whole}`,
        whole.replace("{", "{'a':1,"),
        `\ufeff\ufeff${whole}`,
        "\0",
        `{"a":"\\ud800"}`,
        '{"a":01}',
      ])
        assert.equal(told(await raw(body, "application/json")), "400 base", body);
      for (const body of ["%ff=1", "a[b=1", "a]=1", "[a]=1", "a[b]c=1", "a=1&a[b]=1", "a[b]=1&a=1"])
        assert.equal(told(await raw(`${form(sale())}&${body}`, FORM)), "400 base", body);
      for (const body of [
        "garbage",
        "--x\r\ngarbage",
        "--x\r\n\r\n\r\n--x--",
        '--x\r\ncontent-disposition: form-data; name="amount"\r\n\r\n1\r\n',
        "--x--x",
      ])
        assert.equal(told(await raw(body, "multipart/form-data; boundary=x")), "400 base", body);
      assert.equal(told(await raw("--x--", "multipart/form-data")), "400 base", "without a boundary");
    });

    test("a doubled field is refused: nobody may guess which was meant", async () => {
      const twice = `${JSON.stringify(sale()).slice(0, -1)},"amount":"1.00"}`;
      assert.equal(told(await raw(twice, "application/json")), "400 base");
      assert.equal(told(await raw(`${form(sale())}&amount=1.00`, FORM)), "422 amount");
      assert.equal(told(await raw(`${form(sale())}&amount[]=1.00`, FORM)), "400 base");
    });

    test("hostile nesting is 400 or 413, and the gateway lives on", async () => {
      const json = `${JSON.stringify(sale()).slice(0, -1)},`;
      for (const [more, status] of [
        [`"meta":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}`, 400],
        [`"meta":${"[".repeat(5_000)}${"]".repeat(5_000)}}`, 400],
        ['"__proto__":{"x":1}}', 400],
        ['"meta":{"__proto__":{"x":1}}}', 400],
        ['"constructor":{"prototype":{"x":1}}}', 400],
        [`"meta":{${Array.from({ length: 10_001 }, (_, k) => `"${k}":1`).join()}}}`, 413],
        [`"meta":[${"[],".repeat(10_001)}[]]}`, 413],
      ] as const)
        assert.equal(told(await raw(json + more, "application/json")), `${status} base`, more.slice(0, 40));
      const fields = `${form(sale())}&`;
      for (const [more, status] of [
        [`meta${"[0]".repeat(5_000)}=1`, 400],
        ["__proto__[admin]=1", 400],
        ["meta[__proto__][x]=1", 400],
        ["constructor[prototype][x]=1", 400],
        [Array.from({ length: 10_001 }, (_, k) => `k${k}=1`).join("&"), 413],
      ] as const)
        assert.equal(told(await raw(fields + more, FORM)), `${status} base`, more.slice(0, 40));
      const sparse = "passenger_transport[999999999][legs][888888888][fare]=1";
      assert.equal(told(await raw(fields + sparse, FORM)), "422 passenger_transport");
      expectStatus(await charge({}), 200);
      assert.equal(({} as { x?: number }).x, undefined);
    });

    test("a media type that is none of the three is 415, and a packed body too", async () => {
      for (const type of [
        "text/plain",
        "application/xml",
        "application/jsonp",
        "x",
        "application/json; charset=utf-16",
      ])
        assert.equal(told(await raw(JSON.stringify(sale()), type)), "415 base", type);
      const packed = { headers: { "content-encoding": "gzip" } };
      assert.equal(told(await gateway.post(SALE, sale(), packed)), "415 base");
      for (const type of ["application/json; charset=utf-8", "application/json; charset=UTF8", "Application/JSON"])
        expectStatus(await raw(JSON.stringify(sale()), type), 200);
    });

    test("a body ends at 64 KiB, one with airline data at 1 MiB, to the byte", async () => {
      const sized = (body: Json, bytes: number) => {
        const bare = JSON.stringify({ ...body, meta: { x: "" } }).length;
        return { ...body, meta: { x: "y".repeat(bytes - bare) } };
      };
      const airline = sale({ amount: "100.00", passenger_transport: [passenger()] });
      for (const [body, most] of [
        [sale(), 65_536],
        [airline, 1_048_576],
      ] as const) {
        expectStatus(await gateway.post(SALE, sized(body, most)), 200);
        assert.equal(told(await gateway.post(SALE, sized(body, most + 1))), "413 base");
      }
      assert.equal(told(await gateway.post(SALE, sized({ ...sale(), passenger_transport: "" }, 65_537))), "413 base");
    });
  });

  describe("fields", () => {
    test("all wrong fields are named at once, each with what would be right", async () => {
      const wrong = {
        amount: "ten",
        card_number: "41",
        card_expiry_month: "13",
        card_expiry_year: "39",
        ip_address: "x",
        country: "USA",
        merchant_transaction_id: "",
        card_cvv: "12",
        currency: "dollars",
      };
      const answer = await charge(wrong);
      assert.equal(told(answer), `422 ${Object.keys(wrong).sort().join(" ")}`);
      assert.deepEqual(answer.body.error.message.card_number, ["must be 8 to 19 digits without spaces or dashes"]);
      assert.deepEqual(answer.body.error.message.merchant_transaction_id, ["is required"]);
    });

    test("unknown fields are ignored, not stored, and named: percent-encoded, no card number, 1 kB at most", async () => {
      for (const [over, expected] of [
        [{}, null],
        [{ avs_enabled: true, цвет: 1, "a\r\nx: 1": 2 }, "avs_enabled, %D1%86%D0%B2%D0%B5%D1%82, a%0D%0Ax%3A%201"],
        [{ [SECRET_CARD.slice(0, 12)]: 1, colour: 1 }, "colour"],
        [{ ["k".repeat(1_000)]: 1 }, "k".repeat(1_000)],
        [{ ["k".repeat(1_001)]: 1, short: 1 }, "short"],
        [{ card_cvv2: "123", avs: [1] }, "card_cvv2, avs"],
      ] as const) {
        const answer = expectStatus(await charge(over), 200);
        assert.equal(answer.headers.get("faregate-ignored-fields"), expected);
        for (const name of Object.keys(over)) assert.ok(!(name in transactionOf(answer)), name);
      }
      const nested = sale({
        amount: "100.00",
        passenger_transport: [passenger({ seat: "1A", legs: [leg({ gate: 7 })] })],
      });
      const answer = expectStatus(await gateway.post(SALE, nested), 200);
      const names = "passenger_transport.0.legs.0.gate, passenger_transport.0.seat";
      assert.equal(answer.headers.get("faregate-ignored-fields"), names);
      const many = await charge(Object.fromEntries(Array.from({ length: 500 }, (_, k) => [`unknown_${k}`, k])));
      assert.ok((many.headers.get("faregate-ignored-fields") ?? "").length <= 1_000);
    });

    test("a refused request names its unknown fields in no header, and an error repeats no value", async () => {
      const answer = await charge({ card_number: [SECRET_CARD], card_cvv: `${SECRET_CVV}x`, amount: "x" });
      assert.equal(told(answer), "422 amount card_cvv card_number");
      assert.ok(!answer.text.includes(SECRET_CARD) && !answer.text.includes(SECRET_CVV));
    });

    test("the descriptor is taken and echoed under either spelling, 1 to 255 characters", async () => {
      for (const name of ["dynamic_descripton", "dynamic_descriptor"]) {
        const transaction = transactionOf(expectStatus(await charge({ [name]: "SHOP|514-555-0199" }), 200));
        const shown = Object.entries(transaction).filter(([field]) => field.startsWith("dynamic"));
        assert.deepEqual(shown, [[name, "SHOP|514-555-0199"]]);
        expectStatus(await charge({ [name]: "x".repeat(255) }), 200);
        assert.equal(told(await charge({ [name]: "x".repeat(256) })), `422 ${name}`);
      }
    });

    test("a currency is of ISO 4217 and that of the processor", async () => {
      const { usd, cad } = gateway.sandbox.processors;
      for (const [over, expected] of [
        [{ currency: "USD" }, "200"],
        [{ currency: "USD", processor_id: usd }, "200"],
        [{ currency: "CAD", processor_id: cad }, "200"],
        [{ currency: "CAD", processor_id: usd }, "422 currency"],
        [{ currency: "CAD" }, "422 currency"],
        [{ currency: "usd" }, "422 currency"],
        [{ currency: "US" }, "422 currency"],
        [{ currency: "ZZZ" }, "422 currency"],
        [{ currency: 840 }, "422 currency"],
      ] as const)
        assert.equal(told(await charge(over)), expected, JSON.stringify(over));
    });

    test("ip_address is required on a sale and optional on an auth, any address of IPv4 or IPv6", async () => {
      const auth = (over: Json) => gateway.post("/api/transactions/auth", sale(over));
      assert.equal(told(await charge({ ip_address: undefined })), "422 ip_address");
      assert.equal(transactionOf(expectStatus(await auth({ ip_address: undefined }), 200)).events[0].ip_address, null);
      for (const ip_address of [
        "0.0.0.0",
        "255.255.255.255",
        "::",
        "2001:db8::7",
        "::ffff:203.0.113.7",
        "2001:DB8:0:0:8:800:200C:417A",
      ])
        assert.equal(transactionOf(expectStatus(await charge({ ip_address }), 200)).events[0].ip_address, ip_address);
      // A zone (RFC 4007) means something on one machine only, and is as long as one likes.
      for (const ip_address of [
        "203.0.113",
        "256.0.0.1",
        "203.0.113.7/24",
        "::g",
        "1.2.3.4.5",
        "localhost",
        "fe80::1%eth0",
        `fe80::1%${SECRET_CARD}`,
        "203.0.113.7 ",
      ])
        assert.equal(told(await charge({ ip_address })), "422 ip_address", ip_address);
    });

    test("a card number is 8 to 19 digits; Luhn and expiry are the processor's to judge", async () => {
      for (const card_number of ["41111111", "4111111111111111111", "4111111111111112"])
        expectStatus(await charge({ card_number }), 200);
      for (const card_number of [
        "4111111",
        "41111111111111111111",
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "411111111111111x",
        "４１１１１１１１１１１１１１１１",
        "-4111111111111111",
      ])
        assert.equal(told(await charge({ card_number })), "422 card_number", card_number);
      for (const [over, code] of [
        [{ card_number: "4111111111111112" }, "14"],
        [{ card_expiry_year: "2020" }, "54"],
        [{ card_expiry_year: "0000" }, "54"],
      ] as const) {
        const [event] = transactionOf(expectStatus(await charge(over), 200)).events;
        assert.deepEqual([event.success, event.processor_code], [false, code]);
      }
    });

    test("the path without an operation is a sale unless it says auth", async () => {
      const either = (over: Json) => gateway.post("/api/transactions", sale(over));
      for (const [over, type] of [
        [{}, "sale"],
        [{ transaction_type: "sale" }, "sale"],
        [{ transaction_type: "auth" }, "auth"],
        [{ transaction_type: "auth", ip_address: undefined }, "auth"],
        [{ transaction_type: "" }, "sale"],
        [{ transaction_type: null }, "sale"],
      ] as const)
        assert.equal(transactionOf(expectStatus(await either(over), 200)).events[0].event_type, type);
      for (const transaction_type of ["AUTH", "capture", 1, [], ["auth"], {}])
        assert.equal(
          told(await either({ transaction_type })),
          "422 transaction_type",
          JSON.stringify(transaction_type),
        );
      assert.equal(
        told(await either({ transaction_type: "x", amount: "x", ip_address: "x" })),
        "422 amount ip_address transaction_type",
      );
      assert.equal(told(await either({ ip_address: undefined })), "422 ip_address");
    });

    test("a follow-up takes no body at all, and a reversal neither amount nor passengers", async () => {
      const { charged, follow } = merchantOf(gateway);
      const { id } = await charged("sale", sale());
      const answer = await follow(id, "reversal", { amount: "x", passenger_transport: 7, ip_address: "203.0.113.9" });
      assert.equal(expectStatus(answer, 200).headers.get("faregate-ignored-fields"), "amount, passenger_transport");
      assert.equal(transactionOf(answer).events[0].ip_address, "203.0.113.9");
      const { id: other } = await charged("auth", sale());
      expectStatus(await follow(other, "capture"), 200);
      expectStatus(await gateway.call("POST", `/api/transactions/${other}/refund`), 200);
      assert.equal(told(await follow(other, "reversal", { ip_address: "x" })), "422 ip_address");
    });

    test("the same merchant_transaction_id twice is two charges", async () => {
      const [one, two] = [await charge({}), await charge({})];
      assert.notEqual(transactionOf(one).id, transactionOf(two).id);
    });
  });

  describe("statuses", () => {
    test("401 comes before everything else that is wrong, and is one answer", async () => {
      const { pool, sandbox } = gateway;
      const before = await stored(pool);
      for (const token of [
        null,
        "x",
        `${sandbox.api_token}x`,
        sandbox.api_token.slice(0, -1),
        sandbox.operator_token,
        "ä",
      ])
        for (const [method, path] of [
          ["GET", "/api/transactions"],
          ["GET", "/api/nowhere"],
          ["POST", SALE],
          ["DELETE", "/api/transactions"],
          ["POST", `/api/transactions/${NOBODY}/void`],
        ] as const) {
          const answer = await gateway.call(method, path, { token, ...(method === "POST" && { json: sale() }) });
          assert.equal(answer.status, 401, `${token} ${method} ${path}`);
          assert.deepEqual(answer.body, {
            error: { status: 401, message: { base: ["Not authenticated"] } },
            debug: [],
          });
        }
      for (const authorization of [
        `Basic ${sandbox.api_token}`,
        sandbox.api_token,
        `Bearer${sandbox.api_token}`,
        `Bearer ${sandbox.api_token} x`,
        "Bearer ",
      ])
        assert.equal((await gateway.get("/api/transactions", { token: null, headers: { authorization } })).status, 401);
      assert.deepEqual(await stored(pool), before);
    });

    test("403: a token does what its scopes say and nothing else", async () => {
      const { token, charged } = merchantOf(gateway);
      const { id } = await charged("auth", sale());
      const routes = [
        ["charge", "POST", SALE, 200],
        ["charge", "POST", "/api/transactions", 200],
        ["follow_up", "POST", `/api/transactions/${id}/reversal`, 200],
        ["read", "GET", "/api/transactions", 200],
        ["read", "GET", `/api/transactions/${id}`, 200],
        ["read", "GET", "/api/processors", 200],
      ] as const;
      for (const scope of ["charge", "follow_up", "read"]) {
        const secret = await token({ scopes: [scope] });
        for (const [needed, method, path, status] of routes) {
          const answer = await gateway.call(method, path, {
            token: secret,
            ...(method === "POST" && { json: sale() }),
          });
          assert.equal(answer.status, scope === needed ? status : 403, `${scope} ${path}`);
        }
      }
    });

    test("404: an unknown path, and a transaction that is not there or another merchant's, are told alike", async () => {
      const { charged } = merchantOf(gateway);
      const { id } = await charged("auth", sale());
      const { api_token: token } = gateway.sandbox.other_merchant;
      const foreign = await gateway.get(`/api/transactions/${id}`, { token });
      assert.equal(told(foreign), "404 base");
      for (const unknown of [NOBODY, "not-a-uuid", `${id}0`, "%20", "..%2f"])
        assert.equal((await gateway.get(`/api/transactions/${unknown}`)).text, foreign.text, unknown);
      for (const operation of ["capture", "void", "refund", "reversal"])
        for (const [to, request] of [
          [id, { token }],
          [NOBODY, {}],
          ["not-a-uuid", {}],
        ] as const) {
          const answer = await gateway.post(`/api/transactions/${to}/${operation}`, { amount: "1.00" }, request);
          assert.equal(answer.text, foreign.text, `${to} ${operation}`);
        }
      assert.equal((await gateway.get(`/api/transactions/${id.toUpperCase()}`)).status, 200, "a UUID has no case");
      for (const path of ["/api", "/api/nowhere", "/api/transactions/x/y/z", `${SALE}/`, "/API/transactions"])
        assert.equal(told(await gateway.post(path, {})), "404 base", path);
    });

    test("405: another method says which there are", async () => {
      for (const [method, path, allow] of [
        ["DELETE", "/api/transactions", "POST, GET, HEAD"],
        ["PUT", SALE, "POST"],
        ["GET", `/api/transactions/${NOBODY}/void`, "POST"],
        ["PATCH", `/api/transactions/${NOBODY}`, "GET, HEAD"],
        ["POST", "/api/processors", "GET, HEAD"],
      ] as const) {
        const answer = await gateway.call(method, path);
        assert.equal(told(answer), "405 base", `${method} ${path}`);
        assert.equal(answer.headers.get("allow"), allow);
      }
    });

    test("429: past the limit of a token nothing reaches the processor, and Retry-After says when it will", async () => {
      const secret = await merchantOf(gateway).token({ rate_limit_per_minute: 3 });
      const left = [];
      for (let call = 0; call < 3; call++) {
        const answer = await gateway.post(call === 0 ? SALE : "/api/nowhere", sale(), { token: secret });
        left.push(answer.headers.get("x-ratelimit-remaining"));
        assert.equal(answer.headers.get("x-ratelimit-limit"), "3");
      }
      assert.deepEqual(left, ["2", "1", "0"]);
      const before = await stored(gateway.pool);
      const answer = await gateway.post(SALE, sale(), { token: secret });
      assert.equal(told(answer), "429 base");
      assert.ok(Number(answer.headers.get("retry-after")) > 0);
      assert.deepEqual(await stored(gateway.pool), before);
    });

    test("503: a processor that was named and is out of reach; the attempt is on record", async () => {
      const { processor } = merchantOf(gateway);
      const processor_id = await processor({ settings: { refuse_connections: true } });
      const answer = await charge({ processor_id, merchant_transaction_id: "unreached" });
      assert.equal(told(answer), "503 base");
      const { transactions } = (await gateway.get("/api/transactions?search[merchant_transaction_id]=unreached")).body;
      const { success, status, processor_code } = transactions[0].events[0];
      assert.deepEqual([success, status, processor_code], [false, "error", "91"]);
    });

    test("a drawn processor that is out of reach makes way for another", async () => {
      const refusing = { settings: { refuse_connections: true } };
      const { token, processors } = await newMerchant(gateway, refusing, {}, refusing);
      for (let sales = 0; sales < 12; sales++) {
        const transaction = transactionOf(expectStatus(await charge({}, { token }), 200));
        assert.deepEqual([transaction.processor_id, transaction.events[0].success], [processors[1], true]);
      }
    });

    test("what cannot be read as HTTP, or is too long, is answered in the documented shape", async () => {
      for (const path of [`/api/transactions?${"x".repeat(20_000)}`, `/${"x".repeat(20_000)}`]) {
        const received = await send(gateway, { method: "GET", path });
        assert.equal(received.status, 431);
        assertErrorShape(received);
      }
      for (const path of ["/api/%ZZ", "/%ff", "/api/transactions?search[zip]=%ff"])
        assert.equal(await harmless({ method: "GET", path }), 400, path);
    });

    test("a client that hangs up in the middle of its body leaves nothing", async () => {
      const before = await stored(gateway.pool);
      const body = new ReadableStream({
        start: (stream) => stream.enqueue(new TextEncoder().encode(JSON.stringify(sale()).slice(0, 50))),
      });
      const hanging = new AbortController();
      const headers = { authorization: `Bearer ${gateway.sandbox.api_token}`, "content-type": "application/json" };
      const answer = fetch(gateway.url + SALE, {
        method: "POST",
        headers,
        body,
        signal: hanging.signal,
        duplex: "half",
      } as RequestInit);
      setTimeout(() => hanging.abort(), 100);
      await assert.rejects(answer);
      await sleep(100);
      assert.deepEqual(await stored(gateway.pool), before);
      expectStatus(await gateway.get("/health/ready"), 200);
    });
  });
});
