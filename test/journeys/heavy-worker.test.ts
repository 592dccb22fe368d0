// The process for heavy requests, with a gateway as `npm start` starts it: what it answers is what the gateway would answer, and
// whenever it dies nothing is lost, doubled or guessed.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startGateway } from "../../bench/gateway.ts";
import { childrenOf, commandLine } from "../../bench/processes.ts";
import { AT_WORK } from "../../src/heavy-worker/priority.ts";
import { compiledForTests, compiledGateway } from "../compiled.ts";
import { kill } from "./crash.fixture.ts";
import { callers } from "./gateway.ts";
import { type Callable, expectStatus, type Json, newMerchant, passenger, sale } from "./merchant.fixture.ts";
import { patient, untilRoom } from "./room.ts";
import { atEnd, type Ending, usedFolder } from "./used-folder.ts";

const WITHIN_MS = 180_000;
const LIST = "/api/transactions";
const TAKES_OVER = "have a process of their own";
const HAS_ENDED = "process for heavy requests ended";

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + WITHIN_MS; Date.now() < deadline; await sleep(50)) if (await holds()) return;
  assert.fail(`${what} within ${WITHIN_MS} ms`);
}

const workersOf = (pid: number): readonly number[] =>
  childrenOf(pid).filter((child) => commandLine(child).some((word) => word.includes("heavy-worker")));

/** By the gateway, over the worker's socket. */
function connectionsTo(worker: number): number {
  const folder = `/proc/${worker}/fd`;
  const open = new Set(readdirSync(folder).map((name) => targetOf(`${folder}/${name}`)));
  const sockets = readFileSync("/proc/net/unix", "utf8").split("\n");
  // proc_pid_net(5): the seventh field is the inode, the eighth the path; 03 is connected.
  return sockets.filter((line) => {
    const [, , , , , state, inode, path = ""] = line.trim().split(/\s+/);
    return state === "03" && path.endsWith("heavy.sock") && open.has(`socket:[${inode}]`);
  }).length;
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    // It was closed meanwhile.
    return "";
  }
}

const logOf = ({ folder }: Place): string => readFileSync(`${folder}/gateway.log`, "utf8");

interface Place extends Callable {
  readonly pid: number;
  readonly url: string;
  readonly folder: string;
  stop(): Promise<void>;
}

async function gateway(t: Ending, settings: Record<string, string> = {}, program = compiledGateway()): Promise<Place> {
  const folder = await usedFolder(t);
  const unlimited = { RATE_LIMIT_PER_MINUTE: "0", ...settings };
  const { url, sandbox, pid, stop } = await startGateway([program], folder, [], unlimited);
  atEnd(t, stop);
  return { ...patient(callers(url, sandbox.api_token, sandbox.operator_token)), sandbox, pid, stop, url, folder };
}

const timesIn = (place: Place, words: string): number => logOf(place).split(words).length - 1;

/** Often enough: one that died is started again after seconds, and twenty lists in ten are a reason to. */
const ASK_AGAIN_MS = 200;

/** Heavy requests until a worker is started, which takes long on a busy machine: it comes last there. */
async function withWorker(place: Place): Promise<number> {
  const ask = () => place.get(`${LIST}?search[merchant_transaction_id]=none`);
  await until("a worker is there", async () => {
    if (workersOf(place.pid).length > 0) return timesIn(place, TAKES_OVER) > timesIn(place, HAS_ENDED);
    await Promise.all(Array.from({ length: 5 }, ask));
    await sleep(ASK_AGAIN_MS);
    return false;
  });
  const [worker] = workersOf(place.pid);
  assert.ok(worker);
  return worker;
}

/** Killed, and the gateway has seen it. */
async function killed(place: Place, worker: number): Promise<void> {
  const before = timesIn(place, HAS_ENDED);
  kill(worker);
  await until("the gateway knows", () => timesIn(place, HAS_ENDED) > before);
}

/** Asked for a page that is not there: those that are hold hundreds of kilobytes for each large sale. */
const totalOf = async (place: Place, token: string): Promise<unknown> =>
  (await place.get(`${LIST}?page=1000`, { token })).body.meta?.total;

/** Nothing is answered before it is seen to be on record, however busy the machine is. */
const LONGER_THAN_IT_BEGINS_MS = 60_000;

/** Above 64 KiB. */
const large = (over: Json = {}): Json =>
  sale({ passenger_transport: [passenger()], amount: "100.00", meta: { note: "n".repeat(200_000) }, ...over });

describe("a process for heavy requests", () => {
  let place: Place;
  const undo: (() => unknown)[] = [];
  before(async () => {
    place = await gateway({ after: (step) => undo.push(step) });
  });
  after(async () => {
    for (const step of undo.reverse()) await step();
  });

  test("a few lists are no reason for another process; many are, and it answers as the gateway does, with what was just done", async () => {
    await place.post("/api/transactions/sale", sale({ merchant_transaction_id: "first" }));
    const same = { headers: { "x-request-id": "the-same" } };
    const answers = async () => [
      await place.get(LIST, same),
      await place.get(`${LIST}?format=csv`, same),
      await place.get(`${LIST}?page=x`, same),
    ];
    const before = await answers();
    assert.deepEqual(workersOf(place.pid), []);

    await withWorker(place);
    const after = await answers();
    for (const [nth, answer] of after.entries()) {
      assert.equal(answer.status, before[nth]?.status);
      assert.equal(answer.text, before[nth]?.text);
      const named = (headers: Headers | undefined) =>
        [...(headers ?? [])].filter(([name]) => name !== "date" && !name.startsWith("x-ratelimit"));
      assert.deepEqual(named(answer.headers), named(before[nth]?.headers));
    }

    const made = await place.post("/api/transactions/sale", sale({ merchant_transaction_id: "seen" }));
    const listed = await place.get(`${LIST}?search[merchant_transaction_id]=seen`);
    assert.equal(listed.body.transactions[0].id, made.body.transaction.id);

    const { now } = (await place.operator("GET", "/operator/clock")).body;
    const tomorrow = new Date(Date.parse(now) + 30 * 3_600_000).toISOString();
    await place.operator("POST", "/operator/clock", { now: tomorrow });
    const [shown] = (await place.get(`${LIST}?search[merchant_transaction_id]=seen`)).body.transactions;
    assert.deepEqual(shown, (await place.get(`${LIST}/${made.body.transaction.id}`)).body.transaction);
    assert.ok((await place.operator("GET", "/operator/batches")).body.batches.length > 0);
  });

  test("headers that the gateway takes are not too many for the worker, to which they are passed on with more", async () => {
    await withWorker(place);
    const statuses = async (path: string) => {
      const with_ = (bytes: number) => place.get(path, { headers: { "x-long": "a".repeat(bytes) } });
      const found: number[] = [];
      for (let bytes = 15_800; bytes <= 16_384; bytes += 50) found.push((await with_(bytes)).status);
      return found;
    };
    const ofGateway = await statuses("/api/transactionz");
    assert.ok(ofGateway.includes(404) && ofGateway.includes(431), String(ofGateway));
    assert.deepEqual(
      await statuses(LIST),
      ofGateway.map((status) => (status === 404 ? 200 : status)),
    );
  });

  test("all its threads yield to payments", async () => {
    const folder = `/proc/${await withWorker(place)}/task`;
    // proc_pid_stat(5): the nineteenth field, seventeen fields behind the name.
    const niceness = (thread: string) =>
      readFileSync(`${folder}/${thread}/stat`, "utf8").split(") ").at(-1)?.split(" ")[16];
    const threads = readdirSync(folder).map(niceness);
    assert.ok(threads.length > 1);
    assert.deepEqual([...new Set(threads)], [String(AT_WORK)]);
  });

  test("a large sale is one sale, whoever works on it, and so is its idempotency key", async () => {
    const worker = await withWorker(place);
    const body = large({ merchant_transaction_id: "large" });
    const headers = { "idempotency-key": "large-1" };
    const first = await place.post("/api/transactions/sale", body, { headers });
    assert.equal(first.status, 200, first.text.slice(0, 300));
    await killed(place, worker);
    const again = await place.post("/api/transactions/sale", body, { headers });
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.equal(again.text, first.text);
    assert.equal((await place.get(`${LIST}?search[merchant_transaction_id]=large`)).body.meta.total, 1);
  });

  test("a worker that dies while it charges: the caller is told that it is not known, and it is resolved", async () => {
    const settings = { latency_ms: LONGER_THAN_IT_BEGINS_MS, timeout_ms: LONGER_THAN_IT_BEGINS_MS + 3_000 };
    const { token, processors } = await newMerchant(place, { settings });
    const worker = await withWorker(place);
    const asked = place.post("/api/transactions/sale", large({ processor_id: processors[0] }), { token });
    await until("it is asked", async () => (await totalOf(place, token)) === 1);
    // For what is asked from now on, such as its reversal.
    const quick = { settings: { latency_ms: 0, timeout_ms: 9_000 } };
    expectStatus(await place.operator("PATCH", `/operator/processors/${processors[0]}`, quick), 200);
    await killed(place, worker);
    const answer = await asked;
    assert.equal(answer.status, 500);
    assert.match(answer.text, /not known what became of this request/);
    await until("it has an end", async () => {
      const [transaction] = (await place.get(LIST, { token })).body.transactions;
      return transaction?.events.every((event: Json) => event.success !== null);
    });
    assert.equal(await totalOf(place, token), 1);
  });

  test("a page that many ask for at once is the same for all, under the id of each, also when the worker dies; nobody gets another's", async () => {
    const merchants = [await newMerchant(place, {}), await newMerchant(place, {})];
    for (const [nth, { token }] of merchants.entries())
      for (let made = 0; made <= nth; made++) await place.post("/api/transactions/sale", sale(), { token });
    const worker = await withWorker(place);
    const atOnce = 40;
    const ask = (nth: number) =>
      place.get(LIST, { token: merchants[nth % 2]?.token ?? "", headers: { "x-request-id": `asked-${nth}` } });
    const expected = [await ask(0), await ask(1)];
    assert.deepEqual(
      expected.map(({ body }) => body.meta.total),
      [1, 2],
    );
    const asked = () => Array.from({ length: atOnce }, (_, nth) => ask(nth));
    const answers = await Promise.all(asked());
    const meanwhile = asked();
    await killed(place, worker);
    answers.push(...(await Promise.all(meanwhile)));
    for (const [nth, { status, text, headers }] of answers.entries()) {
      assert.deepEqual([status, text], [200, expected[nth % 2]?.text]);
      assert.equal(headers.get("x-request-id"), `asked-${nth % atOnce}`);
    }
  });

  test("callers who leave before their responses leave no connections to the worker behind", async () => {
    const atOnce = 8;
    const slow = await newMerchant(place, { settings: { latency_ms: 500, timeout_ms: 9_000 } });
    const { token } = slow;
    const worker = await withWorker(place);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify(large({ processor_id: slow.processors[0] }));
    for (const asked of [atOnce, 2 * atOnce, 3 * atOnce]) {
      const leaving = new AbortController();
      const sent = { method: "POST", headers, body, signal: leaving.signal };
      const sell = async () => {
        const response = await fetch(`${place.url}/api/transactions/sale`, sent);
        return { status: response.status, text: await response.text() };
      };
      const gone = Array.from({ length: atOnce }, () => untilRoom(sell).catch(() => "left"));
      await until("they are asked", async () => (await totalOf(place, token)) === asked);
      leaving.abort();
      await Promise.all(gone);
    }
    // As many as were needed at once may be kept for the next requests.
    await until("no more are open", () => connectionsTo(worker) <= atOnce + 2);
  });

  test("a worker that dies in the middle of an export: the connection breaks, and nobody takes it for the whole", async () => {
    for (let nth = 0; nth < 60; nth++)
      await place.post("/api/transactions/sale", large({ merchant_transaction_id: `${nth}` }));
    const worker = await withWorker(place);
    const response = await fetch(`${place.url}${LIST}`, {
      headers: { authorization: `Bearer ${place.sandbox.api_token}` },
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await killed(place, worker);
    await assert.rejects(async () => {
      while (!(await reader?.read())?.done);
    });
    assert.equal((await place.get(`${LIST}?search[merchant_transaction_id]=59`)).status, 200);
  });

  test("an export whose reader leaves is not begun anew", async () => {
    const worker = await withWorker(place);
    for (let nth = 0; nth < 5; nth++) {
      const leaving = new AbortController();
      const headers = { authorization: `Bearer ${place.sandbox.api_token}` };
      const { body } = await fetch(`${place.url}${LIST}?format=csv`, { headers, signal: leaving.signal });
      await body?.getReader().read();
      leaving.abort();
    }
    await until("the worker is not asked any more", () => connectionsTo(worker) <= 2);
    assert.equal(timesIn(place, "Reply was already sent"), 0);
  });

  test("what names a transaction of a long response is answered there, what names another is not", async () => {
    const meta = { note: "n".repeat(40_000) };
    const long = await place.post("/api/transactions/sale", sale({ merchant_transaction_id: "long", meta }));
    const short = await place.post("/api/transactions/sale", sale({ merchant_transaction_id: "short" }));
    const [longOne, shortOne] = [long, short].map(({ body }) => `${LIST}/${body.transaction.id}`);
    const before = await place.get(`${longOne}`);
    const worker = await withWorker(place);
    process.kill(worker, "SIGSTOP");
    const refunded = place.post(`${longOne}/refund`, { amount: "1.00" });
    assert.equal((await place.post(`${shortOne}/refund`, { amount: "1.00" })).status, 200);
    assert.equal(await Promise.race([refunded, sleep(200, "not yet")]), "not yet");
    process.kill(worker, "SIGCONT");
    const { status, body } = await refunded;
    assert.equal(status, 200);
    assert.deepEqual(body, (await place.get(`${longOne}`)).body);
    assert.equal(body.transaction.events.length, before.body.transaction.events.length + 1);
  });

  test("what only asks for a list's headers is answered there, too, with those of the list", async () => {
    const worker = await withWorker(place);
    const headersOf = ({ headers }: { readonly headers: Headers }) =>
      ["content-type", "content-length", "cache-control"].map((name) => headers.get(name));
    for (const path of ["/api/batches", "/api/disputes", `${LIST}?format=csv`]) {
      process.kill(worker, "SIGSTOP");
      const asked = place.call("HEAD", path);
      assert.equal(await Promise.race([asked, sleep(200, "not yet")]), "not yet");
      process.kill(worker, "SIGCONT");
      const { status, text, headers } = await asked;
      assert.deepEqual([status, text, headersOf({ headers })], [200, "", headersOf(await place.get(path))]);
    }
    assert.equal((await place.call("HEAD", `/api/batches/${place.sandbox.merchant_id}`)).status, 404);
  });

  test("it ends with its gateway when that dies", async () => {
    const worker = await withWorker(place);
    kill(place.pid);
    await until("its worker is gone", () => !existsSync(`/proc/${worker}`));
  });
});

describe("a process for heavy requests, behind the rate limit", () => {
  let place: Place;
  const undo: (() => unknown)[] = [];
  before(async () => {
    const settings = { RATE_LIMIT_PER_MINUTE: "200", METRICS_PORT: "0", LOG_FORMAT: "json" };
    place = await gateway({ after: (step) => undo.push(step) }, settings);
  });
  after(async () => {
    for (const step of undo.reverse()) await step();
  });

  test("the rate limit counts what is passed on, once, and its headers are there", async () => {
    await withWorker(place);
    const left = (answer: { readonly headers: Headers }) => Number(answer.headers.get("x-ratelimit-remaining"));
    const [one, next] = [await place.get(LIST), await place.get(LIST)];
    assert.equal(left(one) - left(next), 1);
  });

  test("its figures are told with the gateway's, and what it answers is counted once, as a request", async () => {
    const { url } = JSON.parse(
      logOf(place)
        .split("\n")
        .find((line) => line.includes("/metrics")) ?? "{}",
    );
    const text = await (await fetch(url)).text();
    assert.match(text, /^process_resident_memory_bytes\{process="heavy"\} \d+$/m);
    assert.match(
      text,
      /^faregate_http_requests_total\{.*route="\/api\/transactions",status="200",process="main"\} \d+$/m,
    );
    assert.doesNotMatch(text, /^faregate_http_requests_total\{.*process="heavy"/m);
  });

  test("it ends with its gateway when that is stopped", async () => {
    const worker = await withWorker(place);
    await place.stop();
    assert.ok(!existsSync(`/proc/${worker}`));
  });
});

test("while one does not answer, lists are read here, and a sale that it has waits for it", async (t) => {
  const place = await gateway(t);
  process.kill(await withWorker(place), "SIGSTOP");
  const sold = place.post("/api/transactions/sale", large());
  assert.deepEqual([(await place.get(LIST)).status, timesIn(place, HAS_ENDED)], [200, 0]);
  for (const worker of workersOf(place.pid)) process.kill(worker, "SIGCONT");
  assert.equal((await sold).status, 200);
});
test("one that hangs is killed: a list is read here then, and of a sale it is said that nobody knows", async (t) => {
  const place = await gateway(t, {}, compiledForTests("test/journeys/impatient-gateway.ts"));
  const worker = await withWorker(place);
  process.kill(worker, "SIGSTOP");
  const listed = place.get(`${LIST}?search[merchant_transaction_id]=none`);
  const sold = place.post("/api/transactions/sale", large());
  await until("it is killed", () => timesIn(place, HAS_ENDED) > 0);
  assert.equal((await listed).status, 200);
  const { status, text } = await sold;
  assert.equal(status, 500);
  assert.match(text, /not known what became of this request/);
  assert.equal(timesIn(place, "does not answer: it is killed"), 1);
});
test("what cannot be passed on, or has nowhere to go, is done here", async (t) => {
  const place = await gateway(t, { TMPDIR: "/nowhere" });
  const ended = /process for heavy requests ended: their work is done here/;
  const listed = async () => assert.equal((await place.get(LIST)).status, 200);
  for (let nth = 0; nth < 40; nth++) await listed();
  await until("it was tried", async () => {
    await listed();
    return ended.test(logOf(place));
  });
  await listed();
});
test("without it, all is done here", async (t) => {
  const place = await gateway(t, { HEAVY_WORKER: "off" });
  for (let nth = 0; nth < 40; nth++) assert.equal((await place.get(LIST)).status, 200);
  assert.deepEqual(workersOf(place.pid), []);
});
