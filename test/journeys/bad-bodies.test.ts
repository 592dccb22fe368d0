// Bodies that cannot be read, mean two things, are hostile, too large or never end (decisions 1 and 3).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, inBrackets, startTestGateway, told } from "./gateway.ts";
import { stored } from "./harmless.fixture.ts";
import { expectStatus, type Gateway, type Json, passenger, sale, transactionOf } from "./merchant.fixture.ts";

const SALE = "/api/transactions/sale";
const FORM = "application/x-www-form-urlencoded";

describe("bodies that are not as they should be", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const charge = (over: Json) => gateway.post(SALE, sale(over));
  const raw = (body: string, type: string) =>
    gateway.call("POST", SALE, { raw: body, headers: { "content-type": type } });
  const form = (fields: Json): string => new URLSearchParams(inBrackets(fields)).toString();

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

  const texts = ({ status, headers, body }: Answer) => [
    status,
    /#([a-z-]+)>/.exec(headers.get("link") ?? "")?.[1],
    body.error.message,
  ];

  test("a field that came twice is called by its name, in JSON and in a form", async () => {
    const json = async (text: string) => texts(await raw(text, "application/json"));
    const twice = (name: string) => [
      400,
      "field-twice",
      { base: [`The body has an object with the same name in it twice: ${name}. Send it once.`] },
    ];
    assert.deepEqual(await json(`${JSON.stringify(sale()).slice(0, -1)},"amount":"1.00"}`), twice("amount"));
    assert.deepEqual(await json('{"a":[1,{"b":[2,3],"c":{"d":4,"\\u0064" : 5}}]}'), twice("a.1.c.d"));
    assert.deepEqual(await json('{"x":{"4111111111111111":1,"4111111111111111":2}}'), twice("x.•••"));
    assert.deepEqual(texts(await raw(`${form(sale())}&amount=1.00`, FORM)), [
      422,
      "wrong-field",
      { amount: ["must be a single value, but 2 were sent"] },
    ]);
  });

  test("JSON that is called a form is told so, and nothing else", async () => {
    const said = "Content-Type says application/x-www-form-urlencoded";
    const text = `The body is JSON, but its ${said}. Send Content-Type: application/json.`;
    for (const body of [
      JSON.stringify(sale()),
      JSON.stringify(sale(), null, 2),
      "{}",
      '{"amount": 1',
      '\n{ "amount":1}\n',
      "[]",
      '[{"amount":1}]',
    ])
      assert.deepEqual(texts(await raw(body, FORM)), [415, "mislabeled-body", { base: [text] }]);
    expectStatus(await raw(`${form(sale())}&{x}=1`, FORM), 200);
    assert.equal(told(await gateway.call("POST", SALE, { raw: "{}", headers: { "content-type": "" } })), "415 base");
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
    for (const type of ["text/plain", "application/xml", "application/jsonp", "x", "application/json; charset=utf-16"])
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
