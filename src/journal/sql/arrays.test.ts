import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { freshDatabase } from "../../../test/database.ts";
import { ANY_CHARACTER } from "../../../test/fixtures/any-character.ts";
import { connectionLost, openPool } from "../database.ts";
import { ARRAY_OIDS, type ArrayElement, arrayLiteral, textsFrom } from "./arrays.ts";

const TEXTS = [
  "",
  " ",
  "a",
  "NULL",
  "null",
  'quote"d',
  "back\\slash",
  "{br,ace}",
  "líne\nend",
  "Ана",
  "\\x00",
  '"\t\u0001\u001f\u007f\n"',
  '"😀\\"',
  null,
];

test("texts come back as they were", () => {
  const texts = TEXTS.filter((text) => text !== null);
  assert.deepEqual(textsFrom(arrayLiteral(texts)), texts);
  assert.deepEqual(textsFrom("{}"), []);
  assert.deepEqual(textsFrom("{plain,NULL,two words}"), ["plain", null, "two words"]);
});

test("whatever a text holds, quotes and backslashes alone are escaped", () => {
  const characters = fc.oneof(
    fc.constantFrom('"', "\\", "\n", "\u2028", "\ud800"),
    fc.string({ unit: ANY_CHARACTER, maxLength: 2 }),
  );
  fc.assert(
    fc.property(fc.array(characters), (parts) => {
      const text = parts.join("");
      assert.equal(arrayLiteral([text]), `{"${text.replace(/["\\]/g, "\\$&")}"}`);
      assert.deepEqual(textsFrom(arrayLiteral([text, text])), [text, text]);
    }),
    { numRuns: 2_000 },
  );
});

describe("the database understands what is sent to it", () => {
  const rows: readonly (readonly [keyof typeof ARRAY_OIDS, readonly ArrayElement[], readonly string[]])[] = [
    ["bool", [true, false, null], ["true", "false", ""]],
    ["bytea", [Buffer.from([0, 255, 92]), Buffer.alloc(0), null], ["\\x00ff5c", "\\x", ""]],
    ["int4", [0, -1, 2_147_483_647, null], ["0", "-1", "2147483647", ""]],
    ["int8", [999_999_900n, 2n ** 63n - 1n, 5, null], ["999999900", "9223372036854775807", "5", ""]],
    ["timestamptz", [new Date("2030-05-01T12:00:00.123Z"), null], ["2030-05-01 12:00:00.123+00", ""]],
    ["uuid", ["01970000-0000-7000-8000-00000000000a", null], ["01970000-0000-7000-8000-00000000000a", ""]],
    ["text", TEXTS, TEXTS.map((text) => text ?? "")],
  ];
  test("of every type, and empty ones", async () => {
    const { pool, drop } = await freshDatabase();
    try {
      await pool`set time zone 'UTC'`;
      for (const [type, elements, expected] of rows)
        for (const some of [elements, []]) {
          const read = await pool<{ text: string }[]>`
            select coalesce(e::text, '') as text from unnest(${pool.typed(some, ARRAY_OIDS[type])}) with ordinality as u(e, n)
            order by n`;
          assert.deepEqual(
            read.map(({ text }) => text),
            some.length > 0 ? expected : [],
            type,
          );
        }
      const [row] = await pool<[{ texts: string[] }]>`select ${pool.typed(TEXTS, ARRAY_OIDS.text)} as texts`;
      assert.deepEqual(row.texts, TEXTS);
    } finally {
      await drop();
    }
  });
});

const ENDING_MS = 3_000;

// The driver's own question after types was without anybody to hear of its failure: the process ended.
test("sessions that are ended while they begin end nothing else", async () => {
  const { pool, address, drop } = await freshDatabase();
  const doomed = openPool(address, "doomed");
  let running = true;
  const killer = (async () => {
    while (running) {
      await pool`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'doomed'`;
      await sleep(1);
    }
  })();
  for (const end = performance.now() + ENDING_MS; performance.now() < end; )
    await Promise.allSettled(Array.from({ length: 8 }, () => doomed`select pg_sleep(0.002)`));
  running = false;
  await killer;
  // The pool may still hold sessions that were ended last: it finds each of them out once.
  for (let ended = 0; ; ended++)
    try {
      assert.deepEqual([...(await doomed`select 1 as one`)], [{ one: 1 }]);
      break;
    } catch (fault) {
      if (!connectionLost(fault) || ended === 20) throw fault;
    }
  await doomed.end({ timeout: 1 });
  await drop();
});
