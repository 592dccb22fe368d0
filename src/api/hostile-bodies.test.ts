// What a request costs that was made to cost much: how many wrong fields are told, how long the answer is, and that no
// list is walked beyond its limit.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AIRLINE_BODY_BYTES, PLAIN_BODY_BYTES } from "./body/bounds.ts";
import { parseBody } from "./body/parse-body.ts";
import { checker } from "./check.ts";
import { parseSale } from "./parse-charge.ts";
import { parseFollowUp } from "./parse-follow-up.ts";
import { parseList } from "./parse-list.ts";
import { RequestFault } from "./request-fault.ts";
import { SaleBody } from "./schema/charge.ts";

const MORE = /^There are more wrong fields than are named here\. /;
const MOST_BYTES = 32_000;
const CARD = "378282246310005";
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const fields = (count: number, name: (index: number) => string, value: unknown) =>
  Object.fromEntries(times(count, (index) => [name(index), value]));

interface Told {
  readonly status: number;
  readonly bytes: number;
  readonly messages: Readonly<Record<string, readonly string[]>>;
}

function toldOf(ask: () => unknown): Told {
  try {
    ask();
  } catch (fault) {
    if (!(fault instanceof RequestFault)) throw fault;
    const { status, body } = fault;
    return { status, bytes: Buffer.byteLength(body), messages: JSON.parse(body).error.message };
  }
  return { status: 200, bytes: 0, messages: {} };
}

const sale = (body: unknown, type = JSON_TYPE): Told => {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  assert.ok(bytes.length <= AIRLINE_BODY_BYTES, "the body is larger than any that is read");
  return toldOf(() => parseSale(parseBody(bytes, { "content-type": type })));
};

describe("what a hostile body costs", () => {
  test("a list of too many passengers is one wrong field, and none of them is looked at", () => {
    const passenger_transport = ["a list of at most 1000 passengers"].map((words) => `must be ${words}`);
    for (const item of [{}, null, "x", { legs: times(5, () => ({})) }]) {
      const { messages } = sale({ passenger_transport: times(1_001, () => item) });
      assert.deepEqual(messages.passenger_transport, passenger_transport);
      assert.deepEqual(
        Object.keys(messages).filter((name) => name.startsWith("passenger_transport.")),
        [],
      );
    }
    const reads = { count: 0 };
    const watched = times(1_001, () =>
      Object.defineProperty({}, "ticket_number", { enumerable: true, get: () => reads.count++ }),
    );
    const { messages } = toldOf(() => parseSale({ passenger_transport: watched } as never));
    assert.deepEqual([messages.passenger_transport, reads.count], [passenger_transport, 0]);
    assert.deepEqual(toldOf(() => parseFollowUp({ passenger_transport: times(1_001, () => ({})) } as never)).messages, {
      passenger_transport,
    });
  });

  test("a passenger has a hundred legs at most", () => {
    const legs = (count: number) => sale({ passenger_transport: [{ legs: times(count, () => ({})) }] }).messages;
    assert.deepEqual(legs(101)["passenger_transport.0.legs"], ["must be a list of 1 to 100 legs"]);
    assert.equal(legs(100)["passenger_transport.0.legs"], undefined);
  });

  test("a hundred wrong fields are told, the first ones, and that there are more", () => {
    const { messages, bytes } = sale({ passenger_transport: times(1_000, () => ({})) });
    assert.equal(Object.keys(messages).length, 101);
    assert.match(messages.base?.[0] ?? "", MORE);
    assert.ok("passenger_transport.0.ticket_number" in messages);
    assert.ok(bytes < 10_000);
  });

  test("exactly a hundred are told without a word on more", () => {
    const check = checker(SaleBody);
    const problems = Object.fromEntries(times(100, (index) => [`field_${index}`, ["must be another"]]));
    assert.deepEqual(Object.keys(new RequestFault(422, problems).messages).length, 100);
    assert.equal(Object.keys(new RequestFault(422, { ...problems, one_more: ["is wrong"] }).messages).length, 101);
    assert.ok(Object.keys(check({ passenger_transport: times(1_000, () => null) } as never).problems).length <= 120);
  });

  test("a card number in each of ten thousand fields, under a name as long as the body, is a short answer", () => {
    for (const size of [PLAIN_BODY_BYTES, AIRLINE_BODY_BYTES]) {
      const airline = size > PLAIN_BODY_BYTES && { passenger_transport: [{}] };
      const many = Math.floor((size * 0.45) / 28);
      const inner = fields(Math.min(many, 9_000), (index) => `k${index}`, CARD);
      const { messages, bytes } = sale({ ...airline, meta: { ["n".repeat(size / 2)]: inner } });
      assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
      assert.match(messages.base?.at(-1) ?? "", MORE);
      const [told = ""] = Object.keys(messages).filter((name) => name.startsWith("meta."));
      assert.match(told, /^meta\.n{100}…\.k0$/);
    }
  });

  const wrong: Readonly<Record<string, [body: unknown, type?: string]>> = {
    "deep names of control characters": [
      {
        meta: times(20, () => "\u0001".repeat(80)).reduce<unknown>(
          (inner, name) => ({ [name]: inner }),
          fields(2_000, (i) => `${i}`, CARD),
        ),
      },
    ],
    "names that are card numbers": [fields(2_000, (index) => `${index} ${CARD}`, 1)],
    "names of meta with a card number in each part": [{ meta: { [`${CARD}.`.repeat(3_000)]: 1 } }],
    CVVs: [{ meta: times(2_000, () => ({ cvv: "123" })) }],
    "a form of passengers": [times(900, (index) => `passenger_transport[${index}][x]=1`).join("&"), FORM_TYPE],
    "a form's meta": [times(2_000, (index) => `meta[${index}]=${CARD}`).join("&"), FORM_TYPE],
  };
  for (const [name, [body, type]] of Object.entries(wrong)) {
    test(`the answer is short: ${name}`, () => {
      const { status, bytes } = sale(body, type);
      assert.equal(status, 422);
      assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
    });
  }

  test("a list's unknown filters are told, a hundred of them at most and in a short answer", () => {
    const search = fields(1_300, (index) => `filter_${index}`, "x");
    const { messages, bytes } = toldOf(() => parseList({ search } as never, new Date()));
    assert.ok(bytes <= MOST_BYTES && Object.keys(messages).length > 50);
    assert.match(messages.base?.[0] ?? "", MORE);
  });

  test("a form's meta of too many values is refused before it is built", () => {
    const { messages } = sale(`meta=${encodeURIComponent('{"a":[')}${"1,".repeat(20_000)}1]}`, FORM_TYPE);
    assert.deepEqual(messages.meta, ["must be a JSON object"]);
  });
});
