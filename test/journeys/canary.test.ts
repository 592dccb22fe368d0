// Card numbers and CVVs that nobody else has go every way that there is into a gateway in a process of its own. Then they
// are looked for in its database, in the files of that, in the logs, and in the process's heap after a garbage collection.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startGateway } from "../../bench/gateway.ts";
import { openPool } from "../../src/journal/database.ts";
import { startEmbedded } from "../../src/journal/embedded/embedded.ts";
import { clusterOf, existingPlace } from "../../src/journal/embedded/place.ts";
import { startCollector } from "../collector.ts";
import { compiledGateway } from "../compiled.ts";
import { testHost, testSettings, type Writing } from "../conformance/iso8583-subject.ts";
import { until } from "./crash.fixture.ts";
import { callers } from "./gateway.ts";
import { expectStatus, newMerchant, sale, transactionOf } from "./merchant.fixture.ts";
import { filesThatShow, newNumber, shownIn, stringsOf, tablesThatMatch, tablesThatShow } from "./traces.fixture.ts";
import { atEnd, usedFolder } from "./used-folder.ts";

const WRITING: Writing = { framing: "binary-2", digits: "ascii", bitmap: "binary" };
const CVV = "9713";
/** By itself, not within another number, a time or an id. */
const CVV_ALONE = `(^|[^0-9a-f.:-])${CVV}([^0-9a-f.:-]|$)`;
const IN_FLIGHT_MS = 8_000;

test("no card number and no CVV is left anywhere, whichever way they came", async (t) => {
  const folder = await usedFolder(t);
  const snapshots = join(folder, "snapshots");
  mkdirSync(snapshots);
  const host = await testHost(WRITING);
  t.after(() => host.stop());
  const options = ["--heapsnapshot-signal=SIGUSR2", `--diagnostic-dir=${snapshots}`];
  const collector = await startCollector();
  t.after(() => collector.close());
  const settingsOfGateway = {
    ...{ RATE_LIMIT_PER_MINUTE: "0", LOG_FORMAT: "json" },
    ...{ METRICS_PORT: "0", ACCESS_LOG: "on", TRACES_ENDPOINT: collector.endpoint },
  };
  const running = await startGateway([compiledGateway()], folder, options, settingsOfGateway);
  atEnd(t, running.stop);
  const gateway = { ...callers(running.url, running.sandbox.api_token, running.sandbox.operator_token), ...running };

  const settings = { ...testSettings(host.port, WRITING), card_number_in_follow_ups: true, timeout_ms: 30_000 };
  const { token, processors } = await newMerchant(
    gateway,
    { kind: "iso8583", settings, in_rotation: false },
    { in_rotation: false, settings: { timeout_ms: 500 } },
  );
  const [acquirer = "", simulator = ""] = processors;

  const numbers: string[] = [];
  const fresh = (): string => {
    const number = newNumber(numbers.length);
    numbers.push(number);
    return number;
  };
  const body = (processor_id: string, over: object = {}) =>
    sale({ card_number: fresh(), card_cvv: CVV, processor_id, ...over });
  const post = (path: string, request: object) => gateway.call("POST", path, { token, ...request });

  // Every way that is right, with all that can follow.
  for (const processor of [acquirer, simulator]) {
    for (const form of ["json", "form", "multipart"]) {
      const headers = { "idempotency-key": randomUUID() };
      const sold = await post("/api/transactions/sale", { [form]: body(processor), headers });
      expectStatus(await post(`/api/transactions/${transactionOf(expectStatus(sold, 200)).id}/reversal`, {}), 200);
      const auth = await post("/api/transactions/auth", { [form]: body(processor, { amount: "10.00" }) });
      const { id } = transactionOf(expectStatus(auth, 200));
      for (const [step, amount] of [
        ["capture", "4.00"],
        ["void", "6.00"],
        ["refund", "1.00"],
      ])
        expectStatus(await post(`/api/transactions/${id}/${step}`, { json: { amount } }), 200);
    }
    expectStatus(await post("/api/transactions/sale", { json: body(processor, { card_expiry_year: "2001" }) }), 200);
  }
  // Cards on file: stored by themselves and by charges, approved or not, charged, changed and deleted.
  const card = (over: object = {}) => ({
    card_number: fresh(),
    card_expiry_month: "12",
    card_expiry_year: "2039",
    ...over,
  });
  const onFile: string[] = [];
  for (const form of ["json", "form", "multipart"]) {
    const headers = { "idempotency-key": randomUUID() };
    const stored = await post("/api/cards", { [form]: card({ card_cvv: CVV, first_name: "Jane" }), headers });
    onFile.push(expectStatus(stored, 201).body.card.id);
  }
  for (const processor of [acquirer, simulator]) {
    const storing = await post("/api/transactions/sale", { json: body(processor, { store_card: true }) });
    onFile.push(transactionOf(expectStatus(storing, 200)).card_id);
    expectStatus(
      await post("/api/transactions/auth", { json: body(processor, { store_card: true, card_expiry_year: "2001" }) }),
      200,
    );
    const {
      card_number: _,
      card_expiry_month: __,
      card_expiry_year: ___,
      ...others
    } = sale({ processor_id: processor });
    for (const card_id of onFile) {
      const charged = await post("/api/transactions/auth", {
        json: { ...others, card_id, card_cvv: CVV, amount: "10.00" },
      });
      const { id } = transactionOf(expectStatus(charged, 200));
      expectStatus(await post(`/api/transactions/${id}/capture`, { json: { amount: "10.00" } }), 200);
    }
  }
  const [changed = "", deleted = ""] = onFile;
  expectStatus(
    await gateway.call("PATCH", `/api/cards/${changed}`, { token, json: { card_expiry_year: "2041" } }),
    200,
  );
  expectStatus(await gateway.call("DELETE", `/api/cards/${deleted}`, { token }), 204);
  host.misbehave({ what: "garbage", on: ["sale"] });
  const { processor: impatient } = expectStatus(
    await gateway.operator("PATCH", `/operator/processors/${acquirer}`, { settings: { timeout_ms: 1_000 } }),
    200,
  ).body;
  const lost = transactionOf(expectStatus(await post("/api/transactions/sale", { json: body(impatient.id) }), 200));
  host.behave();
  await until("the unanswered charge is reversed", async () => {
    for await (const entry of host.books.entries())
      if (entry.kind === "booked" && entry.transaction === lost.id && entry.operation === "reversal") return true;
    return false;
  });

  // And every way that is wrong.
  const wrong = async (path: string, request: object) => {
    const { status, text, headers } = await post(path, request);
    assert.ok(status >= 400 && status < 500, `${status} ${text}`);
    for (const number of numbers) assert.ok(!`${text}${[...headers].join()}`.includes(number), text);
  };
  const json = { "content-type": "application/json" };
  // An identifier takes any number but that of the card that pays.
  const paying = fresh();
  await wrong("/api/transactions/sale", {
    json: body(simulator, { card_number: paying, merchant_transaction_id: `order ${paying}` }),
  });
  await wrong("/api/transactions/sale", { json: body(simulator, { first_name: `Jane ${fresh()}` }) });
  await wrong("/api/transactions/sale", { json: body(simulator, { amount: "many", meta: { card: fresh() } }) });
  await wrong("/api/transactions/sale", { json: body(simulator, { card_cvv: `${CVV}99` }) });
  await wrong("/api/transactions/sale", { json: body(randomUUID()) });
  await wrong("/api/transactions/sale", { raw: JSON.stringify(body(simulator)).slice(0, -1), headers: json });
  await wrong("/api/transactions/sale", {
    raw: `{"card_number": ${fresh()}, "card_cvv": ${CVV}} and more`,
    headers: json,
  });
  await wrong("/api/transactions/sale", {
    raw: JSON.stringify(body(simulator)),
    headers: { "content-type": "text/x" },
  });
  await wrong(`/api/transactions/sale?card_number=${fresh()}&card_cvv=${CVV}`, { json: {} });
  await wrong(`/api/transactions/${fresh()}/capture`, { json: { card_cvv: CVV } });
  await wrong(`/${fresh()}`, { json: { card_cvv: CVV } });
  await wrong("/api/cards", { json: card({ card_expiry_month: "13", card_cvv: CVV }) });
  await wrong("/api/cards", { json: card({ first_name: fresh(), card_cvv: `${CVV}99` }) });
  await wrong("/api/cards", { raw: JSON.stringify(card()).slice(0, -1), headers: json });
  await wrong(`/api/cards?card_number=${fresh()}`, { json: card({ amount: fresh() }) });
  await wrong("/api/transactions/sale", { json: body(simulator, { card_id: changed }) });
  await wrong("/api/transactions/sale", { json: body(simulator, { card_id: fresh() }) });
  const inPath = await gateway.call("PATCH", `/api/cards/${fresh()}`, { token, json: { card_number: fresh() } });
  assert.ok(inPath.status >= 400 && inPath.status < 500 && !numbers.some((number) => inPath.text.includes(number)));
  const asChange = await gateway.call("PATCH", `/api/cards/${changed}`, {
    token,
    json: { zip: fresh(), card_cvv: CVV },
  });
  assert.ok(asChange.status === 422 && !numbers.some((number) => asChange.text.includes(number)), asChange.text);
  await wrong("/api/transactions/sale", { json: body(simulator), headers: { authorization: `Bearer ${fresh()}` } });
  await wrong("/api/transactions/sale", { json: { x: 1 }, headers: { "x-card": fresh(), "idempotency-key": fresh() } });
  for (const id of [fresh(), fresh().replace(/(.{4})(?=.)/g, "$1-"), `order:${fresh()}`])
    await wrong("/api/transactions/sale", { json: { x: 1 }, headers: { "x-request-id": id } });
  const listed = await gateway.get(`/api/transactions?search[card_number]=${fresh()}`, { token });
  assert.equal(listed.status, 422);

  const figures = await (await fetch(metricsUrl(folder))).text();
  assert.match(readFileSync(join(folder, "gateway.log"), "utf8"), /"route":"\/api\/transactions\/sale"/);
  assert.match(figures, /faregate_outcomes_total\{.*operation="sale"/);
  assert.deepEqual(
    numbers.filter((number) => figures.includes(number)),
    [],
    "the figures for Prometheus",
  );

  const heap = async (): Promise<readonly string[]> => {
    const before = readdirSync(snapshots);
    process.kill(gateway.pid, "SIGUSR2");
    const written = () => readdirSync(snapshots).find((file) => !before.includes(file));
    await until("a snapshot is begun", () => written() !== undefined);
    // It is written by the thread that answers: an answer comes when it is whole.
    expectStatus(await gateway.get("/health/live"), 200);
    return stringsOf(join(snapshots, written() ?? ""));
  };

  // Of a search that finds nothing nobody knows whether it can find: one number is in use while the heap is looked at.
  expectStatus(
    await gateway.operator("PATCH", `/operator/processors/${acquirer}`, { settings: { timeout_ms: 60_000 } }),
    200,
  );
  host.misbehave({ what: "delay", ms: IN_FLIGHT_MS, on: ["sale"] });
  const inUse = body(acquirer);
  const inFlight = post("/api/transactions/sale", { json: inUse });
  await sleep(1_000);
  const during = await heap();
  assert.deepEqual(shownIn(during, [String(inUse.card_number)]), [inUse.card_number], "a number in use is found");
  assert.ok(during.some(isCvv), "a CVV in use is found");
  expectStatus(await inFlight, 200);

  // Others come after; V8 remembers the last text that a regular expression was tried on.
  for (let other = 0; other < 20; other++)
    expectStatus(await gateway.get("/api/transactions?search[email]=jane", { token }), 200);
  const left = await heap();
  assert.deepEqual(shownIn(left, numbers), [], "numbers in the heap");
  assert.deepEqual(left.filter(isCvv), [], "CVVs in the heap");

  const server = await startEmbedded({ dataFolder: folder, log: () => undefined });
  const pool = openPool(server.connection);
  const planted = newNumber(9_999);
  try {
    for (const number of numbers) assert.deepEqual(await tablesThatShow(pool, number), [], number);
    assert.deepEqual(await tablesThatMatch(pool, CVV_ALONE), []);
    const [kept] = await pool<[{ cards: number }]>`select count(*)::int as cards from sealed_cards`;
    assert.ok(kept.cards > 0, "some are sealed");
    const [stored] = await pool<[{ cards: number }]>`select count(*)::int as cards from cards`;
    assert.ok(stored.cards >= 4, "some are on file");
    // The log has the first change of a page as the whole page, compressed, where a number may be in pieces.
    for (const name of ["planted", "planted again", "planted once more"])
      await pool`insert into installation (name, value) values (${name}, ${pool.json({ note: `${planted} ${CVV}` })})`;
    assert.deepEqual(await tablesThatShow(pool, planted), ["installation"]);
    assert.deepEqual(await tablesThatMatch(pool, CVV_ALONE), ["installation"]);
  } finally {
    await pool.end();
    await server.stop();
  }
  await running.stop();
  const place = existingPlace(folder);
  assert.ok(place);
  const cluster = clusterOf(place.folder);
  assert.deepEqual(filesThatShow(cluster, numbers), [], "the database's files and its log of writes");
  const found = filesThatShow(cluster, [planted]);
  assert.ok(found.length >= 2, `in a table's file and in the log of writes: ${found}`);
  for (const log of [join(folder, "gateway.log"), join(place.folder, "postgresql.log")]) {
    const text = readFileSync(log, "utf8");
    assert.deepEqual(
      numbers.filter((number) => text.includes(number)),
      [],
      log,
    );
    assert.ok(!isCvv(text), log);
  }
  const traces = collector.bodies.join();
  assert.match(traces, /POST \/api\/transactions\/sale/);
  assert.deepEqual(
    numbers.filter((number) => traces.includes(number)),
    [],
    "the traces",
  );
  assert.ok(numbers.length > 30);
  t.diagnostic(`${numbers.length} numbers, ${left.length} strings in the heap`);
});

/** As the log says. */
const metricsUrl = (folder: string): string =>
  /"url":"([^"]+\/metrics)"/.exec(readFileSync(join(folder, "gateway.log"), "utf8"))?.[1] ?? "";

const CVV_THERE = new RegExp(CVV_ALONE, "m");
const isCvv = (text: string): boolean => text.includes(CVV) && CVV_THERE.test(text);
