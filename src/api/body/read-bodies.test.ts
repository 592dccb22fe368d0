import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import {
  type EchoServer,
  echoServer,
  FORM_TYPE,
  flatten,
  formTree,
  JSON_TYPE,
  MULTIPART_TYPE,
  multipartOf,
} from "../../../test/fixtures/echo-server.ts";
import { ownMs } from "../../../test/own-time.ts";

let server: EchoServer;
before(async () => {
  server = await echoServer();
});
after(() => server.close());

const passenger = {
  ticket_number: "0141234567890",
  restricted_ticket_indicator: "false",
  legs: [
    { departure_airport: "YUL", fare: "100" },
    { departure_airport: "YYZ", fare: "50.25" },
  ],
};
const airline = (passengers: number) => ({
  amount: "300.50",
  passenger_transport: Array.from({ length: passengers }, () => passenger),
});

test("JSON, urlencoded and multipart give the same tree", async () => {
  for (const sent of [
    { amount: "12.34", meta: { order: "A1" } },
    airline(2),
    airline(120),
    { цвет: "красный\0", "a\r\nb": '"' },
  ]) {
    const bodies: [type: string, body: RequestInit["body"]][] = [
      [JSON_TYPE, JSON.stringify(sent)],
      [FORM_TYPE, new URLSearchParams(flatten(sent)).toString()],
      [MULTIPART_TYPE, multipartOf(flatten(sent))],
    ];
    for (const [type, body] of bodies) {
      const answer = await server.post(type, body);
      assert.deepEqual([answer.status, answer.body], [200, sent], type);
    }
  }
});

test("the form data of fetch is understood", async () => {
  const form = new FormData();
  for (const [name, value] of flatten(airline(2))) form.append(name, value);
  assert.deepEqual((await server.post(undefined, form)).body, airline(2));
});

test("a JSON text in a form stays a text", async () => {
  const meta = '{"order":"A1"}';
  assert.deepEqual((await server.post(FORM_TYPE, new URLSearchParams({ meta }).toString())).body, { meta });
  assert.deepEqual((await server.post(MULTIPART_TYPE, multipartOf([["meta", meta]]))).body, { meta });
});

test("numbers come back as they were written", async () => {
  const text = '{"amount":1.10,"meta":{"a":[12345678901234567890,1e400,-0]}}';
  const answer = await fetch(`http://127.0.0.1:${server.port}/echo`, {
    method: "PATCH",
    headers: { "content-type": JSON_TYPE },
    body: text,
  });
  assert.equal(await answer.text(), text);
});

test("no body is an empty tree, whatever the content type", async () => {
  for (const type of [
    undefined,
    JSON_TYPE,
    FORM_TYPE,
    "multipart/form-data",
    "text/plain",
    "application/json; charset=latin1",
  ]) {
    const answer = await server.post(type, undefined);
    assert.deepEqual([answer.status, answer.body], [200, {}], type);
    const headers = `POST /echo HTTP/1.1\r\nHost: x\r\n${type ? `Content-Type: ${type}\r\n` : ""}Connection: close\r\n`;
    assert.match(
      await server.raw((socket) => socket.write(`${headers}\r\n`)),
      /^HTTP\/1.1 200 [\s\S]*\r\n\r\n\{\}$/,
      type,
    );
    assert.match(
      await server.raw((socket) => socket.write(`${headers}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)),
      /^HTTP\/1.1 200 [\s\S]*\r\n\r\n\{\}$/,
      type,
    );
  }
  assert.deepEqual((await server.post(FORM_TYPE, "\r\n")).body, {});
});

test("the media type and the charset are read without regard to case", async () => {
  const types = [
    "application/json; charset=utf-8",
    "Application/JSON;CHARSET=UTF-8",
    'application/json; charset="utf8"',
    "application/json;",
    "application/json; profile=x",
  ];
  for (const type of types) assert.deepEqual((await server.post(type, '{"a":"ü"}')).body, { a: "ü" }, type);
  assert.deepEqual((await server.post("APPLICATION/x-www-form-urlencoded; charset=UTF-8", "a=1")).body, { a: "1" });
  assert.deepEqual(
    (
      await server.post(
        'Multipart/Form-Data; charset=utf-8; Boundary="X X"',
        multipartOf([["a", "1"]]).replaceAll("XX", "X X"),
      )
    ).body,
    { a: "1" },
  );
  assert.deepEqual((await server.post(JSON_TYPE, '{"a":1}', { "content-encoding": "Identity" })).body, { a: 1 });
});

test("a content type has 255 characters at most: Node looks for blanks in a longer one for seconds", async () => {
  const withParameter = (characters: number) =>
    `application/json;a=${"b".repeat(characters - "application/json;a=".length)}`;
  assert.deepEqual((await server.post(withParameter(255), "{}")).status, 200);
  const blanks = `application/json;a=b${" ".repeat(15_000)}x`;
  for (const type of [withParameter(256), blanks]) assert.equal((await server.post(type, "{}")).status, 415);
});

test("other media types, charsets and encodings: 415 that says what to send", async () => {
  const three = /application\/json, application\/x-www-form-urlencoded or multipart\/form-data/;
  const refused: [type: string, headers: Record<string, string>, because: RegExp][] = [
    ["text/plain", {}, three],
    ["text/json", {}, three],
    ["application/vnd.api+json", {}, three],
    ["application/octet-stream", {}, three],
    ["multipart/mixed; boundary=XX", {}, three],
    ["application/json, text/plain", {}, /./],
    ["json", {}, /./],
    ["application/json; charset=iso-8859-1", {}, /UTF-8/],
    ["application/json; charset=utf-16", {}, /UTF-8/],
    [`${FORM_TYPE}; charset=windows-1252`, {}, /UTF-8/],
    [JSON_TYPE, { "content-encoding": "gzip" }, /Content-Encoding/],
    [JSON_TYPE, { "content-encoding": "identity, br" }, /Content-Encoding/],
  ];
  for (const [type, headers, because] of refused) {
    const answer = await server.post(type, "{}", headers);
    assert.equal(answer.status, 415, type);
    assert.match(JSON.stringify(answer.body), because, type);
    assert.equal(answer.headers.get("accept-encoding"), "content-encoding" in headers ? "identity" : null);
  }
  assert.match(
    await server.raw((socket) =>
      socket.write("POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"),
    ),
    /^HTTP\/1.1 415 /,
  );
});

test("a body that is plainly in another format than its Content-Type says: 415", async () => {
  const formats = {
    [JSON_TYPE]: '{"a":"1"}',
    [FORM_TYPE]: "a=1",
    [MULTIPART_TYPE]: multipartOf([["a", "1"]]),
    xml: "<a>1</a>",
  };
  for (const type of [JSON_TYPE, FORM_TYPE, MULTIPART_TYPE])
    for (const [isIn, body] of Object.entries(formats)) {
      const answer = await server.post(type, body);
      assert.equal(answer.status, isIn === type ? 200 : 415, `${isIn} as ${type}`);
      if (isIn !== type)
        assert.match(JSON.stringify(answer.body), new RegExp(`Content-Type says ${type.split(";")[0]}`));
    }
});

test("a body in chunks is taken; one that is packed as well is 415, since nobody unpacks it", async () => {
  const chunked = (coding: string) => {
    const head = `POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${JSON_TYPE}\r\n`;
    return server.raw((socket) => socket.write(`${head}Transfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`));
  };
  assert.match(await chunked("Chunked"), /^HTTP\/1.1 200 /);
  assert.match(await chunked("gzip, chunked"), /^HTTP\/1.1 415 .*no Transfer-Encoding but chunked/s);
});

test("bodies that do not parse: 400", async () => {
  const refused: [type: string, body: RequestInit["body"]][] = [
    [JSON_TYPE, '{"amount": 1'],
    [JSON_TYPE, "[]"],
    [JSON_TYPE, '"x"'],
    [JSON_TYPE, " "],
    [JSON_TYPE, Buffer.from('{"a":"ü"}', "latin1")],
    [JSON_TYPE, Buffer.from('\ufeff{"a":1}', "utf16le")],
    [JSON_TYPE, '{"constructor":{"prototype":{"x":1}}}'],
    [JSON_TYPE, `{"meta":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}`],
    [FORM_TYPE, Buffer.from("a=ü", "latin1")],
    [FORM_TYPE, "a=%FC"],
    [FORM_TYPE, `meta${"[0]".repeat(5_000)}=1`],
    [FORM_TYPE, "a[b=1"],
    [MULTIPART_TYPE, "--XX\r\ngarbage"],
    [MULTIPART_TYPE, "a"],
    [MULTIPART_TYPE, multipartOf([["meta[__proto__][x]", "1"]])],
    [MULTIPART_TYPE, multipartOf([[`meta${"[0]".repeat(5_000)}`, "1"]])],
    ["multipart/form-data", multipartOf([["a", "1"]])],
    ["multipart/form-data; boundary=", multipartOf([["a", "1"]])],
    [`multipart/form-data; boundary=${"X".repeat(71)}`, multipartOf([["a", "1"]]).replaceAll("XX", "X".repeat(71))],
  ];
  for (const [type, body] of refused) {
    const answer = await server.post(type, body);
    assert.equal(answer.status, 400, `${type} ${String(body).slice(0, 40)}`);
    assert.match(JSON.stringify(answer.body), /^\{"error":\{"status":400,"message":\{"base":\["[^"]/);
  }
});

test("a byte order mark is ignored", async () => {
  assert.deepEqual((await server.post(JSON_TYPE, '\ufeff{"a":1}')).body, { a: 1 });
  assert.deepEqual((await server.post(FORM_TYPE, "\ufeffa=1")).body, { a: "1" });
});

test("an unknown path is 404, whatever the body", async () => {
  for (const [type, body] of [
    [JSON_TYPE, "{"],
    ["text/plain", "x"],
    [FORM_TYPE, "x".repeat(100_000)],
  ] as const) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/nowhere`, {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
    assert.equal(answer.status, 404);
  }
});

test("after a body that was refused the connection serves the next request", async () => {
  const request = (type: string, body: string, more = "") =>
    `POST /echo HTTP/1.1\r\nHost: x\r\n${more}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const answers = await server.raw((socket) =>
    socket.write(
      request(JSON_TYPE, "{") + request("text/plain", "x") + request(JSON_TYPE, '{"a":1}', "Connection: close\r\n"),
    ),
  );
  assert.deepEqual(answers.match(/HTTP\/1.1 \d+/g), ["HTTP/1.1 400", "HTTP/1.1 415", "HTTP/1.1 200"]);
});

test("a tree of texts that is flattened comes back, urlencoded and multipart", async () => {
  await fc.assert(
    fc.asyncProperty(formTree, async (tree) => {
      const expected = JSON.parse(JSON.stringify(tree));
      assert.deepEqual((await server.post(FORM_TYPE, new URLSearchParams(flatten(tree)).toString())).body, expected);
      assert.deepEqual((await server.post(MULTIPART_TYPE, multipartOf(flatten(tree)))).body, expected);
    }),
    { numRuns: 100 },
  );
});

test("whatever bytes are sent, the answer is 200 or 4xx and comes within a second", async () => {
  const samples = [
    [
      JSON_TYPE,
      Buffer.from('{"amount":1.10,"meta":{"a":[1,"\\u00e9"]},"passenger_transport":[{"legs":[{"fare":1}]}]}'),
    ],
    [FORM_TYPE, Buffer.from("amount=1.10&meta[a][0]=%C3%A9&passenger_transport[0][legs][0][fare]=1")],
    [
      MULTIPART_TYPE,
      Buffer.from(
        multipartOf([
          ["amount", "1.10"],
          ["meta[a]", "é"],
          ["passenger_transport[0][legs][0][fare]", "1"],
        ]),
      ),
    ],
  ] as const;
  const edits = fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(8),
      put: fc.oneof(
        fc.uint8Array({ maxLength: 6 }),
        fc
          .constantFrom("[", "]", "[]", "{", "}", "__proto__", "\r\n", "--XX", "%", "&", "=", '"', "\\u", ",")
          .map((text) => Buffer.from(text)),
      ),
    }),
    { maxLength: 4 },
  );
  const body = fc
    .record({
      sample: fc.constantFrom(...samples),
      edits,
      random: fc.option(fc.uint8Array({ maxLength: 400 }), { freq: 4 }),
    })
    .map(({ sample: [type, valid], edits, random }) => ({
      type,
      bytes:
        random === null
          ? edits.reduce((bytes, { at, cut, put }) => {
              const place = Math.floor(at * bytes.length);
              return Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + cut)]);
            }, valid as Buffer)
          : Buffer.from(random),
    }));
  await fc.assert(
    fc.asyncProperty(body, async ({ type, bytes }) => {
      const tookMs = await ownMs(async () => {
        const { status } = await server.post(type, bytes);
        assert.ok(status === 200 || (status >= 400 && status < 500), `${status}`);
      });
      assert.ok(tookMs < 1_000, `${tookMs} ms`);
    }),
    { numRuns: 1_000 },
  );
});
