// A gateway of two workers, as `npm start` starts it: to its clients it is one gateway, and whichever of its processes dies,
// nobody hears a wrong answer.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type RunningGateway, startGateway } from "../../bench/gateway.ts";
import { systemClock } from "../../src/clock.ts";
import { auditKeyOf } from "../../src/merchants/audit-chain.ts";
import { createOperatorToken } from "../../src/merchants/operator-tokens.ts";
import { FEWEST_CONNECTIONS } from "../../src/pool-sizes.ts";
import { PROCESSOR_KINDS } from "../../src/processors/kinds.ts";
import { compiled, compiledForTests, compiledGateway } from "../compiled.ts";
import { type FreshDatabase, freshDatabase } from "../database.ts";
import { answered, kill, saleAttempt, tellLogIfFailed, tryOnce, until } from "./crash.fixture.ts";
import { type Answer, callers, told } from "./gateway.ts";
import {
  type Callable,
  expectStatus,
  type Json,
  merchantOf,
  newMerchant,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";
import { patient } from "./room.ts";
import { atEnd, usedFolder } from "./used-folder.ts";
import { type Line, linesTo, workersOf } from "./workers.fixture.ts";

const SALE = "/api/transactions/sale";

describe("a gateway of two workers", () => {
  let gateway: RunningGateway & Callable;
  let folder: string;
  const undo: (() => unknown)[] = [];
  before(async () => {
    const ending = { after: (step: () => unknown) => undo.push(step) };
    folder = await usedFolder(ending);
    const running = await startGateway([compiledGateway()], folder, [], {
      ...{ WORKERS: "2", RATE_LIMIT_PER_MINUTE: "0", METRICS_PORT: "0" },
    });
    atEnd(ending, running.stop);
    const calls = callers(running.url, running.sandbox.api_token, running.sandbox.operator_token);
    gateway = { ...running, ...patient(calls) };
    await until("both workers are ready", () => log().includes("Faregate listens on"));
  });
  afterEach((t) => tellLogIfFailed(t, folder));
  after(async () => {
    for (const step of undo.reverse()) await step();
  });
  const log = () => readFileSync(`${folder}/gateway.log`, "utf8");
  const bothWorkers = (): [number, number] => {
    const [one = 0, two = 0, ...more] = workersOf(gateway.pid);
    assert.ok(one > 0 && two > 0 && more.length === 0, "there are two workers");
    return [one, two];
  };
  const lines = async () => (await linesTo(gateway.url, bothWorkers())) as [Line, Line];
  const unused = (some: readonly Line[]) => {
    for (const line of some) line.close();
  };

  test("a session holds at both: its CSRF token, its end everywhere, and a lock", async () => {
    const [one, two] = await lines();
    const { operator_token, people } = gateway.sandbox;
    const signIn = async (line: Line) => {
      const made = expectStatus(await line.call("POST", "/session", "", people.viewer, { authorization: "" }), 201);
      const [cookie = ""] = made.headers.getSetCookie()[0]?.split(";") ?? [];
      const { csrf_token, person } = made.body.session;
      const by = { authorization: "", cookie, "faregate-csrf": csrf_token };
      return { by, id: person.id as string, at: (where: Line) => where.call("GET", "/session", "", undefined, by) };
    };
    const [mine, other] = [await signIn(one), await signIn(two)];
    for (const session of [mine, other]) for (const line of [one, two]) expectStatus(await session.at(line), 200);
    const out = (line: Line, csrf: string) =>
      line.call("DELETE", "/sessions", "", undefined, { ...mine.by, "faregate-csrf": csrf });
    expectStatus(await out(two, other.by["faregate-csrf"]), 403);
    expectStatus(await out(two, mine.by["faregate-csrf"]), 204);
    const isOver = async ({ at }: typeof mine) => {
      for (const line of [one, two]) await until("the session is over", async () => (await at(line)).status === 401);
    };
    for (const session of [mine, other]) await isOver(session);
    const last = await signIn(one);
    expectStatus(await last.at(two), 200);
    const lock = (locked: boolean) => one.call("PATCH", `/operator/people/${last.id}`, operator_token, { locked });
    expectStatus(await lock(true), 200);
    await isOver(last);
    expectStatus(await lock(false), 200);
    unused([one, two]);
  });

  test("both take requests on one port, and each line of the log says whose it is", async () => {
    const { api_token } = gateway.sandbox;
    const both = await lines();
    for (const [nth, line] of both.entries()) {
      const made = expectStatus(await line.call("POST", SALE, api_token, sale()), 200);
      const other = both[1 - nth];
      assert.deepEqual(
        await other?.call("GET", `/api/transactions/${transactionOf(made).id}`, api_token).then(transactionOf),
        transactionOf(made),
      );
    }
    unused(both);
    const of = (worker: number) => log().includes(`"worker":${worker},"msg":"Server listening`);
    assert.deepEqual([of(1), of(2), of(3)], [true, true, false]);
  });

  test("the figures of both are at one door, each under its name, and what is read alike by both is there once", async () => {
    const both = await lines();
    const door = /"url":"([^"]+)","msg":"figures for Prometheus"/.exec(log())?.[1] ?? "";
    const figures = async () => (await (await fetch(door)).text()).split("\n");
    const route = 'route="/api/processors",status="200"';
    const counted = async (worker: number) =>
      (await figures())
        .filter((line) => line.startsWith("faregate_http_requests_total{") && line.includes(route))
        .filter((line) => line.includes(`process="worker-${worker}"`))
        .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    const before = [await counted(1), await counted(2)];
    for (const line of [both[0], both[1], both[1]])
      expectStatus(await line.call("GET", "/api/processors", gateway.sandbox.api_token), 200);
    const more = [(await counted(1)) - (before[0] ?? 0), (await counted(2)) - (before[1] ?? 0)];
    assert.deepEqual(more.toSorted(), [1, 2]);
    const up = (await figures()).filter((line) => line.startsWith("faregate_database_up{"));
    assert.equal(up.length, 1, up.join());
    unused(both);
  });

  test("what one is told, the other knows as soon as it is answered: processor records, and the sandbox's clock", async () => {
    const both = await lines();
    const { operator_token } = gateway.sandbox;
    const { token, processors } = await newMerchant(gateway, {});
    for (let round = 0; round < 6; round++) {
      const [one, two] = round % 2 === 0 ? both : both.toReversed();
      const enabled = round % 2 === 1;
      const path = `/operator/processors/${processors[0]}`;
      expectStatus(await (one as Line).call("PATCH", path, operator_token, { enabled }), 200);
      const sold = await (two as Line).call("POST", SALE, token, sale({ processor_id: processors[0] }));
      assert.equal(told(sold).slice(0, 3), enabled ? "200" : "422", sold.text);

      const ahead = new Date(
        Date.parse((await one?.call("GET", "/operator/clock", operator_token))?.body.now) + 60_000,
      );
      expectStatus(
        await (one as Line).call("POST", "/operator/clock", operator_token, { now: ahead.toISOString() }),
        200,
      );
      const seen = await (two as Line).call("GET", "/operator/clock", operator_token);
      assert.ok(Date.parse(seen.body.now) >= Math.floor(ahead.getTime() / 1000) * 1000, seen.text);
    }
    unused(both);
  });

  test("a processor at which charges of one fail is out of the draw of both, and comes back in both", async () => {
    const [one, two] = await lines();
    const refusing = { settings: { refuse_connections: true } };
    const { merchantId, token, processors } = await newMerchant(gateway, refusing, {});
    const [bad, good] = processors;
    const inTurn = [
      { id: bad, weight: 1 },
      { id: good, weight: 0 },
    ];
    const rules = [{ name: "In turn", processors: inTurn }];
    expectStatus(await gateway.operator("PATCH", `/operator/merchants/${merchantId}/routing`, { rules }), 200);
    const fails = async (line: Line): Promise<boolean> =>
      (await line.call("GET", "/api/processors", token)).body.processors[0].failing_since !== null;
    const sell = async (line: Line, over: object = {}) =>
      transactionOf(expectStatus(await line.call("POST", SALE, token, sale({ ...over })), 200));
    for (let nth = 0; nth < 5; nth++) assert.equal((await sell(one)).attempts.length, 1);
    assert.ok(await fails(one));
    await until("the other knows", () => fails(two));
    const { processor_id, attempts } = await sell(two);
    assert.deepEqual([processor_id, attempts], [good, undefined]);

    const mended = { settings: { refuse_connections: false } };
    expectStatus(await gateway.operator("PATCH", `/operator/processors/${bad}`, mended), 200);
    assert.equal((await sell(two, { processor_id: bad })).processor_id, bad);
    await until("the other knows", async () => !(await fails(one)));
    assert.equal((await sell(one)).processor_id, bad);
    unused([one, two]);
  });

  test("the rate limit of a token is one for both, to a tenth, and so is what the headers say", async () => {
    const both = await lines();
    const token = await merchantOf(gateway).token({ rate_limit_per_minute: 100 });
    const ask = (line: Line | undefined) => (line as Line).call("GET", "/api/processors", token);
    const answers: Answer[] = [];
    for (let nth = 0; nth < 75; nth++) answers.push(...(await Promise.all(both.map(ask))));
    const passed = answers.filter(({ status }) => status === 200).length;
    assert.ok(passed >= 100 && passed <= 110, `${passed} of 100`);
    assert.ok(answers.every(({ status }) => status === 200 || status === 429));
    // At any moment a tenth is not told yet.
    const left = ({ headers }: Answer) => Number(headers.get("x-ratelimit-remaining"));
    for (const [nth, answer] of answers.entries())
      if (answer.status === 200) assert.ok(left(answer) <= 100 - nth + 10, `${left(answer)} left after ${nth}`);
    unused(both);
  });

  test("card testing over both gets no further than over one", async () => {
    const { token } = await newMerchant(gateway, {});
    // Over connections of their own, to whichever worker. The simulator declines what fails Luhn's check.
    const through = async (from: number) => {
      const cards = Array.from({ length: 35 }, (_, nth) => `466666${String((from + nth) * 10).padStart(10, "0")}`);
      const charge = (card_number: string) => gateway.post(SALE, sale({ amount: "1.00", card_number }), { token });
      return (await Promise.all(cards.map(charge))).filter(({ status }) => status === 200).length;
    };
    const first = await through(1);
    // Each tells the other within half a second, which reads it within another, and on a full machine a little later.
    await sleep(2_000);
    const second = await through(36);
    assert.ok(first > 20 && first + second <= 55, `${first} and ${second}`);
  });

  test("a worker that is killed while sales run: nobody hears a wrong answer, each sale is made once, and another takes its place", async () => {
    const { processor } = merchantOf(gateway);
    const processor_id = await processor({ settings: { latency_ms: 600, timeout_ms: 3_000 } });
    const [one, two] = bothWorkers();
    const attempts = Array.from({ length: 24 }, () => saleAttempt({ processor_id }));
    const asked = attempts.map((attempt) => tryOnce(gateway, attempt));
    await sleep(300);
    kill(two);
    await Promise.all(asked);
    const answers = await Promise.all(attempts.map((attempt) => answered(gateway, attempt)));
    for (const [nth, { first, body }] of attempts.entries()) {
      const end = answers[nth] as Answer;
      // Its connection broke, or it was answered, and that stays the answer.
      if (first !== undefined) assert.deepEqual([first.status, first.text], [200, end.text]);
      const path = `/api/transactions?search[merchant_transaction_id]=${body.merchant_transaction_id}`;
      const { transactions } = (await gateway.get(path)).body;
      assert.equal(transactions.length, 1, "on record once");
      assert.equal(transactions[0].events[0].success, transactionOf(end).events[0].success);
    }
    await until("nothing is unresolved", async () => {
      const { body } = await gateway.operator("GET", `/operator/unresolved?processor_id=${processor_id}`);
      return body.unresolved.length === 0;
    });
    await until("another takes its place", () => {
      const now = workersOf(gateway.pid);
      return now.length === 2 && now.includes(one) && !now.includes(two);
    });
    assert.match(log(), /"msg":"a worker ended: another takes its place"/);
    await until("it takes requests", () => log().split('"worker":2,"msg":"Server listening').length === 3);
    unused(await lines());
  });

  test("both have one process for heavy requests", async () => {
    const both = await lines();
    const heavy = () => log().split("have a process of their own").length - 1;
    await until("it is there", async () => {
      for (const line of both)
        expectStatus(await line.call("GET", "/api/transactions", gateway.sandbox.api_token), 200);
      return heavy() > 0;
    });
    for (const line of both) expectStatus(await line.call("GET", "/api/transactions", gateway.sandbox.api_token), 200);
    assert.equal(heavy(), 1);
    unused(both);
  });

  test("one stop ends all of it", async () => {
    const workers = workersOf(gateway.pid);
    await gateway.stop();
    const all = [gateway.pid, ...workers, gateway.databasePid];
    // The system may still have to forget one that has ended.
    await until("all are gone", () => all.every((pid) => !existsSync(`/proc/${pid}`)));
    assert.equal(log().split("another takes its place").length - 1, 1);
  });
});

test("a worker that hangs is killed: whoever repeats a sale gets its answer, it is made once, and another takes its place", async (t) => {
  const folder = await usedFolder(t);
  const program = compiledForTests("test/journeys/impatient-gateway.ts");
  const running = await startGateway([program], folder, [], {
    ...{ WORKERS: "2", RATE_LIMIT_PER_MINUTE: "0", HEAVY_WORKER: "off" },
  });
  atEnd(t, running.stop);
  const { url, sandbox } = running;
  const gateway = { ...running, ...patient(callers(url, sandbox.api_token, sandbox.operator_token)) };
  const log = () => readFileSync(`${folder}/gateway.log`, "utf8");
  await until("both listen", () => log().split('"msg":"Server listening').length === 3);
  const [one = 0, two = 0] = workersOf(running.pid);
  const [toOne, toTwo] = await linesTo(url, [one, two]);
  const { processor } = merchantOf(gateway);
  const sold = saleAttempt({ processor_id: await processor({ settings: { latency_ms: 5_000 } }) });
  const { path, body, key } = sold;
  const headers = { "idempotency-key": key };
  const hanging = toTwo?.call("POST", path, sandbox.api_token, body, headers).catch(() => "its connection broke");
  await until("the sale is in flight", async () => (await onRecord(gateway, body)).length === 1);
  process.kill(two, "SIGSTOP");
  await until("it is killed", () => log().includes('"worker":2,"msg":"a worker does not answer: it is killed"'));
  assert.equal(await hanging, "its connection broke");
  const repeated = transactionOf(expectStatus(await answered(gateway, sold), 200));
  assert.deepEqual(
    (await onRecord(gateway, body)).map(({ id }: Json) => id),
    [repeated.id],
  );
  await until("another takes its place", () => {
    const now = workersOf(running.pid);
    return now.length === 2 && now.includes(one) && !now.includes(two);
  });
  for (const line of [toOne, toTwo]) line?.close();
});

const onRecord = async (gateway: Pick<Callable, "get">, { merchant_transaction_id }: Json) =>
  (await gateway.get(`/api/transactions?search[merchant_transaction_id]=${merchant_transaction_id}`)).body.transactions;

describe("a gateway of three workers in live mode", () => {
  let database: FreshDatabase;
  let running: ChildProcess;
  let gateway: ReturnType<typeof callers>;
  let printed = "";
  before(async () => {
    database = await freshDatabase();
    const { host, user, password, database: name } = database.address;
    await database.pool`alter database ${database.pool(name)} connection limit ${database.pool.unsafe(String(ALLOWED))}`;
    const url = `postgres://${user}:${encodeURIComponent(password)}@localhost/${name}?host=${encodeURIComponent(host)}`;
    const secret = randomBytes(32);
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    running = spawn(process.execPath, [compiled("main")], {
      env: {
        ...{ PATH, NODE_COMPILE_CACHE, PORT: "0", WORKERS: "3", HEAVY_WORKER: "off", DATABASE_URL: url },
        FAREGATE_SECRET: secret.toString("base64"),
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    running.stdout?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    gateway = patient(callers(await listening(), null, await operatorToken(database, secret)));
  });
  after(async () => {
    running.kill("SIGKILL");
    await database.drop();
  });
  const listening = async (): Promise<string> => {
    let url: string | undefined;
    await until("it listens", () => {
      assert.equal(running.exitCode, null, printed);
      url = /"msg":"Faregate listens on ([^"]+)"/.exec(printed)?.[1];
      return url !== undefined;
    });
    return url ?? "";
  };

  test("whatever is asked of all of them at once, they keep within the connections that the database allows", async () => {
    let most = 0;
    const watching = new AbortController();
    const watch = (async () => {
      for (; !watching.signal.aborted; await sleep(20)) {
        const [row] = await database.pool<[{ open: number }]>`
          select count(*)::int as open from pg_stat_activity where datname = current_database() and application_name <> 'test'`;
        most = Math.max(most, row.open);
      }
    })();
    for (let round = 0; round < 3; round++) {
      const calls = Array.from({ length: 60 }, (_, nth) => {
        if (nth % 3 === 0) return gateway.operator("POST", "/operator/merchants", { name: `Shop ${nth}` });
        return gateway.operator("GET", nth % 3 === 1 ? "/operator/batches" : "/operator/unresolved");
      });
      for (const { status, text } of await Promise.all(calls)) assert.ok(status === 200 || status === 201, text);
    }
    watching.abort();
    await watch;
    assert.ok(most > 3 && most <= ALLOWED - 1, `${most} of ${ALLOWED}`);
    assert.doesNotMatch(printed, /too many (clients|connections)/);
  });

  test("if its first process is killed, all workers end", async () => {
    const workers = workersOf(running.pid ?? 0);
    assert.equal(workers.length, 3);
    kill(running.pid ?? 0);
    await until("they are gone", () => workers.every((pid) => !existsSync(`/proc/${pid}`)));
  });
});

/** So few that each of three processes gets the least. */
const ALLOWED = 3 * FEWEST_CONNECTIONS + 6;

async function operatorToken({ pool }: FreshDatabase, secret: Buffer): Promise<string> {
  const auditKey = async () => auditKeyOf(secret);
  const office = { sql: pool, clock: systemClock, mode: "live", kinds: PROCESSOR_KINDS, auditKey } as const;
  const created = await createOperatorToken(office, { actor: "test", source: "test" }, { name: "Test" });
  assert.equal(created.kind, "done");
  return created.kind === "done" ? created.value.secret : "";
}
