// `/metrics`, as Prometheus reads it: who may, what is counted where, that labels are bounded, and that no card number is in it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Concealed } from "../../src/settings.ts";
import { keptLog, startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, merchantOf, newMerchant, sale, transactionOf } from "./merchant.fixture.ts";

const SALE = "/api/transactions/sale";
const HOST = "127.0.0.1";
const DOCS = join(import.meta.dirname, "../../docs");

async function withMetrics(token?: string) {
  const { log, lines } = keptLog();
  const metrics = { host: HOST, port: 0, token: token === undefined ? undefined : new Concealed(token) };
  const gateway = await startTestGateway({ metrics }, {}, log);
  const said = lines.find(({ msg }) => msg === "figures for Prometheus");
  return { gateway, url: String(said?.url) };
}

/** The values of a metric's series whose labels are among others these; `{ 'le="1"': 3 }` of those that are left. */
function series(text: string, name: string, ...labels: readonly string[]): number[] {
  const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines
    .filter((line) => labels.every((label) => line.includes(label)))
    .map((line) => Number(line.split(" ").at(-1)));
}

describe("figures", () => {
  let gateway: Gateway;
  let url: string;
  before(async () => {
    ({ gateway, url } = await withMetrics());
  });
  after(() => gateway.close());

  const figures = async (): Promise<string> => {
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    return response.text();
  };

  test("they are not at merchants' door", async () => {
    assert.equal((await gateway.get("/metrics")).status, 404);
    const elsewhere = await fetch(url.replace("/metrics", "/"));
    assert.deepEqual([elsewhere.status, Object.keys((await elsewhere.json()) as object)], [404, ["error", "debug"]]);
    const posted = await fetch(url, { method: "POST" });
    assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET, HEAD"]);
  });

  test("requests are counted by method, route and status; ids, unknown paths and what is no request make no labels", async () => {
    const sold = transactionOf(expectStatus(await gateway.post(SALE, sale()), 200));
    expectStatus(await gateway.get(`/api/transactions/${sold.id}`), 200);
    expectStatus(await gateway.post(SALE, {}), 422);
    expectStatus(await gateway.get("/api/transactions", { token: "guessed" }), 401);
    for (const path of ["/nothing/1", "/nothing/2"]) expectStatus(await gateway.get(path), 404);
    const text = await figures();
    const requests = (...labels: readonly string[]) => series(text, "faregate_http_requests_total", ...labels);
    assert.deepEqual(requests('method="POST"', `route="${SALE}"`, 'status="200"'), [1]);
    assert.deepEqual(requests('method="POST"', `route="${SALE}"`, 'status="422"'), [1]);
    assert.deepEqual(requests('route="/api/transactions/:transaction_id"', 'status="200"'), [1]);
    assert.deepEqual(requests('route="/api/transactions"', 'status="401"'), [1]);
    assert.deepEqual(requests('method="GET"', 'route="none"', 'status="404"'), [3]);
    assert.ok(!text.includes(sold.id));
    assert.deepEqual(series(text, "faregate_http_request_duration_seconds_count", `route="${SALE}"`), [2]);
  });

  test("outcomes are counted by processor record, operation and code, questions by answer, steps by their time", async () => {
    const { token, processors } = await newMerchant(gateway, { settings: { timeout_ms: 100 } });
    const [processor = ""] = processors;
    const post = async (path: string, json?: object) =>
      expectStatus(await gateway.post(path, json, { token }), 200).body.transaction;
    const sold = await post(SALE, sale());
    await post(`/api/transactions/${sold.id}/void`);
    await post(SALE, sale({ card_number: "4111111111111112" }));
    expectStatus(
      await gateway.operator("PATCH", `/operator/processors/${processor}`, {
        settings: { silent_operations: ["sale"], timeout_ms: 100 },
      }),
      200,
    );
    await post(SALE, sale());
    const text = await figures();
    const of = (name: string, ...labels: readonly string[]) =>
      series(text, name, `processor="${processor}"`, ...labels);
    const outcomes = (...labels: readonly string[]) => of("faregate_outcomes_total", 'kind="simulator"', ...labels);
    assert.deepEqual(outcomes('operation="sale"', 'outcome="approved"', 'code="00"'), [1]);
    assert.deepEqual(outcomes('operation="sale"', 'outcome="declined"', 'code="14"'), [1]);
    assert.deepEqual(outcomes('operation="sale"', 'outcome="unanswered"', 'code="91"'), [1]);
    assert.deepEqual(outcomes('operation="void"', 'outcome="approved"'), [1]);
    const questions = (...labels: readonly string[]) => of("faregate_processor_questions_total", ...labels);
    assert.deepEqual(questions('operation="sale"', 'answer="approved"'), [1]);
    assert.deepEqual(questions('operation="sale"', 'answer="unanswered"'), [1]);
    assert.deepEqual(of("faregate_processor_answer_duration_seconds_count", 'operation="sale"'), [3]);
    for (const step of ["parse", "open", "append", "ask", "conclude"]) {
      const [count = 0] = series(text, "faregate_step_duration_seconds_count", `step="${step}"`);
      assert.ok(count > 0, step);
    }
    for (const name of ["rows", "wait_seconds", "write_seconds"])
      for (const statement of ["open", "append", "conclude"]) {
        const [count = 0] = series(text, `faregate_journal_group_${name}_count`, `statement="${statement}"`);
        assert.ok(count > 0, `${name} ${statement}`);
      }
  });

  test("the docs name every figure, and docs, dashboard and alerts name no others", async () => {
    const told = new Set([...(await figures()).matchAll(/^# TYPE (\w+) /gm)].map(([, name = ""]) => name));
    const read = (file: string) => readFileSync(join(DOCS, file), "utf8");
    const named = (text: string) =>
      [...text.matchAll(/\b(?:faregate|nodejs|process)_[a-z0-9_]+[a-z0-9]\b/g)].map(([name]) => name);
    const docs = read("metrics.md");
    for (const name of told) if (name.startsWith("faregate_")) assert.ok(docs.includes(`\`${name}\``), name);
    const wrong = [docs, read("grafana/faregate.json"), read("prometheus/faregate.rules.yml")]
      .flatMap(named)
      .filter((name) => !told.has(name) && !told.has(name.replace(/_(bucket|sum|count)$/, "")));
    assert.deepEqual(
      wrong.filter((name) => !["nodejs_eventloop_lag", "nodejs_heap"].includes(name)),
      [],
    );
  });
});

test("the tests of the alerts expect the texts that the alerts have", () => {
  const texts = (file: string) =>
    [...readFileSync(join(DOCS, "prometheus", file), "utf8").matchAll(/^ +description: (.+)$/gm)].map(([, it]) => it);
  const [own, expected] = [texts("faregate.rules.yml"), texts("faregate.rules.test.yml")];
  assert.ok(expected.length > 0);
  assert.deepEqual(
    expected.filter((one) => !own.includes(one)),
    [],
  );
});

test("what is unresolved and how the process is are told as they are now", async () => {
  const { gateway, url } = await withMetrics();
  try {
    const settings = { silent_operations: ["refund"], timeout_ms: 100 };
    const processor_id = await merchantOf(gateway).processor({ settings });
    const { id } = transactionOf(expectStatus(await gateway.post(SALE, sale({ processor_id })), 200));
    expectStatus(await gateway.post(`/api/transactions/${id}/refund`), 202);
    const refusing = await merchantOf(gateway).processor({ settings: { refuse_connections: true } });
    for (let nth = 0; nth < 5; nth++) expectStatus(await gateway.post(SALE, sale({ processor_id: refusing })), 503);
    const text = await (await fetch(url)).text();
    assert.deepEqual(series(text, "faregate_unresolved_events", 'remedy="repeat"', 'age="under 1m"'), [1]);
    assert.deepEqual(series(text, "faregate_database_up"), [1]);
    assert.deepEqual(series(text, "faregate_operations_in_flight"), [0]);
    assert.deepEqual(series(text, "faregate_failing_processors"), [1]);
    const [ahead = 0, ...more] = series(text, "faregate_clock_ahead_seconds");
    assert.deepEqual([Math.round(ahead), more], [0, []]);
    for (const pool of ["payments", "lookUps", "slowReads", "office", "background", "webhooks"])
      assert.equal(series(text, "faregate_database_connections", `pool="${pool}"`).length, 3, pool);
    for (const name of ["process_resident_memory_bytes", "nodejs_eventloop_lag_p99_seconds", "faregate_build_info"])
      assert.equal(series(text, name, 'process="main"').length, 1, name);
  } finally {
    await gateway.close();
  }
});

test("with a token, nobody reads them without it", async () => {
  const token = "a-token-of-24-characters";
  const { gateway, url } = await withMetrics(token);
  try {
    for (const authorization of [undefined, "Bearer wrong", `Basic ${token}`, token]) {
      const response = await fetch(url, { headers: { ...(authorization && { authorization }) } });
      assert.deepEqual([response.status, response.headers.get("www-authenticate")], [401, "Bearer"]);
      assert.ok(!(await response.text()).includes("faregate_"));
    }
    assert.equal((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status, 200);
  } finally {
    await gateway.close();
  }
});
