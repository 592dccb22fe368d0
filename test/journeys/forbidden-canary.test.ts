// Card numbers and CVVs that nobody else has go every way that there is into a gateway whose merchant forbids them. Then they are looked for in
// its database, in the files of that, in the logs, and in the memory of its processes.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startGateway } from "../../bench/gateway.ts";
import { childrenOf } from "../../bench/processes.ts";
import { openPool } from "../../src/journal/database.ts";
import { startEmbedded } from "../../src/journal/embedded/embedded.ts";
import { clusterOf, existingPlace } from "../../src/journal/embedded/place.ts";
import { compiledGateway } from "../compiled.ts";
import { until } from "./crash.fixture.ts";
import { type Answer, callers, type Request } from "./gateway.ts";
import { expectStatus, leg, NOBODY, newMerchant, passenger } from "./merchant.fixture.ts";
import { textsInMemory } from "./process-memory.fixture.ts";
import { filesThatShow, newNumber, shownIn, stringsOf, tablesThatShow } from "./traces.fixture.ts";
import { atEnd, usedFolder } from "./used-folder.ts";

const CVV = "9713";
const FORMS = ["json", "form", "multipart"] as const;
const SALE = "/api/transactions/sale";

test("of a merchant that forbids card numbers, none is left in the database, in files, logs or memory", async (t) => {
  const folder = await usedFolder(t);
  const snapshots = join(folder, "snapshots");
  mkdirSync(snapshots);
  const options = ["--heapsnapshot-signal=SIGUSR2", `--diagnostic-dir=${snapshots}`];
  const settings = { RATE_LIMIT_PER_MINUTE: "0", LOG_FORMAT: "json", ACCESS_LOG: "on" };
  const running = await startGateway([compiledGateway()], folder, options, settings);
  atEnd(t, running.stop);
  const gateway = { ...callers(running.url, running.sandbox.api_token, running.sandbox.operator_token), ...running };
  const { token, merchantId } = await newMerchant(gateway, {});
  expectStatus(
    await gateway.operator("PATCH", `/operator/merchants/${merchantId}`, { card_numbers: "forbidden" }),
    200,
  );
  await sleep(1_100);

  const numbers: string[] = [];
  const fresh = (): string => {
    const number = newNumber(5_000 + numbers.length);
    numbers.push(number);
    return number;
  };
  const refused = ({ status, text, headers }: Answer) => {
    assert.ok(status >= 400 && status < 500, `${status} ${text}`);
    assert.deepEqual(shownIn([text, [...headers].join()], numbers), []);
  };
  const send = async (method: string, path: string, sent: Request = {}) =>
    refused(await gateway.call(method, path, { token, ...sent }));
  const charge = (over: object = {}) => ({
    ...{ amount: "100.00", merchant_transaction_id: "order", ip_address: "203.0.113.7", card_id: NOBODY, ...over },
  });
  const forms = async (method: string, path: string, body: () => object) => {
    for (const form of FORMS) await send(method, path, { [form]: body() });
  };

  await forms("POST", SALE, () => charge({ card_number: fresh(), card_cvv: CVV }));
  await forms("POST", SALE, () => charge({ card_id: null, card_number: fresh(), card_expiry_year: "2039" }));
  for (const field of ["merchant_transaction_id", "first_name", "document_number", "card_id", "amount", "threeds_cavv"])
    await forms("POST", SALE, () => charge({ [field]: fresh() }));
  await forms("POST", SALE, () => charge({ meta: { note: `paid with ${fresh()}` }, cvv: CVV }));
  await forms("POST", SALE, () => charge({ source: { card: { pan: fresh() } } }));
  await forms("POST", SALE, () => charge({ [fresh()]: "x" }));
  await forms("POST", "/api/transactions/auth", () =>
    charge({ passenger_transport: [passenger({ passenger_name: fresh(), legs: [leg()] })] }),
  );
  await forms("POST", "/api/cards", () => ({
    card_number: fresh(),
    card_expiry_month: "12",
    card_expiry_year: "2039",
  }));
  await forms("POST", "/api/cards", () => ({ processor_id: NOBODY, processor_token: fresh() }));
  await forms("PATCH", `/api/cards/${NOBODY}`, () => ({ zip: fresh() }));
  for (const step of ["capture", "void", "refund", "reversal"])
    await forms("POST", `/api/transactions/${NOBODY}/${step}`, () => ({ amount: fresh(), note: fresh() }));
  // What cannot be read, or is another format than it says.
  const json = { "content-type": "application/json" };
  await send("POST", SALE, { raw: JSON.stringify(charge({ card_number: fresh() })).slice(0, -1), headers: json });
  await send("POST", SALE, { raw: `card_number=${fresh()}&card_cvv=${CVV}`, headers: json });
  await send("POST", SALE, { raw: fresh(), headers: { "content-type": "text/plain" } });
  // In the address and in headers.
  await send("POST", `${SALE}?card_number=${fresh()}&card_cvv=${CVV}`, { json: {} });
  await send("POST", `/api/transactions/${fresh()}/capture`, { json: {} });
  await send("GET", `/api/transactions?search[card_number]=${fresh()}`);
  await send("GET", `/api/transactions?search[merchant_transaction_id]=${fresh()}`);
  await send("GET", `/api/transactions/${fresh()}`);
  await send("GET", `/api/${fresh()}`);
  for (const name of ["idempotency-key", "x-request-id", "x-card", "user-agent", "cookie", "referer"])
    await send("POST", SALE, { json: charge(), headers: { [name]: fresh() } });
  // Large ones, which another process reads once there are several, and one that comes in pieces.
  const many = () => Array.from({ length: 200 }, () => passenger({ legs: [leg({ fare: "0.50" })] }));
  for (let nth = 0; nth < 6; nth++)
    await send("POST", SALE, { json: charge({ passenger_transport: many(), last_name: fresh() }) });
  const number = fresh();
  const halves = JSON.stringify(charge({ card_number: number, card_cvv: CVV })).split(number.slice(12));
  const slow = await begun(running.url, token, [`${halves[0]}`, `${number.slice(12)}${halves[1]}`]);
  // Of a search that finds nothing nobody knows whether it can find.
  assert.equal(left(running.pid, [number.slice(0, 12)]).length, 1, "what is on its way is found");
  assert.equal(await slow(), 422);

  // Others come after; V8 remembers the last text that a regular expression was tried on.
  for (let other = 0; other < 20; other++)
    expectStatus(await gateway.get("/api/transactions?search[email]=jane", { token }), 200);
  const processes = [running.pid, ...childrenOf(running.pid)];
  const before = readdirSync(snapshots);
  process.kill(gateway.pid, "SIGUSR2");
  const written = () => readdirSync(snapshots).find((file) => !before.includes(file));
  await until("a snapshot is begun", () => written() !== undefined);
  expectStatus(await gateway.get("/health/live"), 200);
  const heap = stringsOf(join(snapshots, written() ?? ""));
  assert.deepEqual(shownIn(heap, numbers), [], "numbers in the heap");
  // What was freed keeps its bytes until it is used again: texts of V8's, and the buffer that Node reads into. What the gateway owns, it
  // overwrites: without that a third of the numbers are there.
  const still = processes.flatMap((pid) => left(pid, numbers));
  t.diagnostic(`${still.length} of ${numbers.length} numbers in memory that was freed`);
  assert.ok(still.length <= numbers.length / 6, `${still.map((one) => numbers.indexOf(one))}`);

  const server = await startEmbedded({ dataFolder: folder, log: () => undefined });
  const pool = openPool(server.connection);
  try {
    assert.deepEqual(await tablesThatShow(pool, BEGINNING), []);
    const [kept] = await pool<[{ keys: number }]>`
      select count(*)::int as keys from idempotency_keys where merchant_id = ${merchantId}`;
    assert.equal(kept.keys, 0, "hashes of requests");
  } finally {
    await pool.end();
    await server.stop();
  }
  await running.stop();
  const place = existingPlace(folder);
  assert.ok(place);
  assert.deepEqual(
    filesThatShow(clusterOf(place.folder), [BEGINNING]),
    [],
    "the database's files and its log of writes",
  );
  for (const log of [join(folder, "gateway.log"), join(place.folder, "postgresql.log")])
    assert.deepEqual(shownIn([readFileSync(log, "utf8")], numbers), [], log);
  assert.ok(numbers.length > 80);
});

/** Of all that are made here: one look finds any of them. */
const BEGINNING = "4739150";

/** Those of the texts, which are of one length, that a process still has in its memory. */
const left = (pid: number, texts: readonly string[]): readonly string[] => [
  ...new Set(textsInMemory(pid, BEGINNING, texts[0]?.length ?? 0).filter((text) => texts.includes(text))),
];

/** A request whose body comes in pieces: all but the last is sent. @returns sends the last, and resolves to the status */
async function begun(url: string, token: string, pieces: readonly string[]): Promise<() => Promise<number>> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const sent = request(`${url}${SALE}`, { method: "POST", headers });
  const answered = new Promise<number>((resolve, reject) => {
    sent.on("error", reject).on("response", (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
  });
  for (const piece of pieces.slice(0, -1)) sent.write(piece);
  await sleep(200);
  return () => {
    sent.end(pieces.at(-1));
    return answered;
  };
}
