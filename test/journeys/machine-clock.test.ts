// A gateway on a machine whose clock is wrong: it sells, and says so.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startGateway } from "../../bench/gateway.ts";
import { compiledGateway } from "../compiled.ts";
import { until } from "./crash.fixture.ts";
import { callers } from "./gateway.ts";
import { expectStatus, type Json, sale } from "./merchant.fixture.ts";
import { atEnd, usedFolder } from "./used-folder.ts";

/** The gateway's processes read their time so far ahead; the database is another program. */
function ahead(ms: number): readonly string[] {
  const program = `
    const OfMachine = Date;
    globalThis.Date = class extends OfMachine {
      constructor(...given) { super(...(given.length === 0 ? [Date.now()] : given)); }
      static now() { return OfMachine.now() + ${ms}; }
    };`;
  return ["--import", `data:text/javascript,${encodeURIComponent(program)}`];
}
const HOUR_MS = 3_600_000;

test("a gateway whose machine's clock is an hour ahead of the database's says so, once for all its processes", async (t) => {
  const folder = await usedFolder(t);
  const { url, sandbox, stop } = await startGateway([compiledGateway()], folder, ahead(HOUR_MS), { WORKERS: "2" });
  atEnd(t, stop);
  const { post } = callers(url, sandbox.api_token, sandbox.operator_token);
  expectStatus(await post("/api/transactions/sale", sale()), 200);
  const lines = () => readFileSync(`${folder}/gateway.log`, "utf8").split("\n");
  const told = () => lines().filter((line) => line.includes("this machine's clock and the database's differ"));
  await until("it says so", () => told().length > 0);
  const [said, ...again] = told().map((line) => JSON.parse(line));
  assert.deepEqual([said.level, again], [50, []]);
  // As exact as the database's answer is quick.
  assert.ok(Math.abs(said.aheadSeconds - HOUR_MS / 1_000) < 60, `${said.aheadSeconds}`);
});

test("a gateway whose machine's clock is two years ahead removes nothing of the audit log", async (t) => {
  const folder = await usedFolder(t);
  const { url, sandbox, stop } = await startGateway([compiledGateway()], folder, ahead(2 * 365 * 24 * HOUR_MS));
  atEnd(t, stop);
  const { operator } = callers(url, sandbox.api_token, sandbox.operator_token);
  const actions = async () =>
    expectStatus(await operator("GET", "/operator/audit-log"), 200).body.entries.map((one: Json) => one.action);
  expectStatus(await operator("POST", "/operator/merchants", { name: "Shop" }), 201);
  // What is removed goes as soon as the gateway starts.
  await sleep(1_000);
  const [newest, ...earlier] = await actions();
  assert.equal(newest, "merchant.create");
  assert.ok(earlier.length > 0, "entries of the first start are there");
});
