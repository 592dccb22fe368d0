// The figures that a sale, and whoever asks beside it, is judged by: each with its floor in the same run and its target.

import { availableParallelism } from "node:os";
import type { Request } from "autocannon";
import type { Figure } from "./figure.ts";
import { type BareServer, bareServer, type SingleWrites, singleWrites } from "./floors.ts";
import type { RunningGateway } from "./gateway.ts";
import { TARGET_CONNECTIONS, WARM_UP_SALES } from "./plan.ts";
import { cpuMicrosOfFamily } from "./processes.ts";
import { type Requests, type Sent, sendRequests } from "./requests.ts";
import { saleRequests } from "./sale.ts";
import { openSender, type Sender } from "./sender.ts";
import { overBareServer, overSlowProcessor, slowDown } from "./slow-processor.ts";
import { median } from "./statistics.ts";
import type { Undo } from "./undo.ts";
import { watch } from "./watch.ts";

export interface TablePlan {
  readonly rounds: number;
  readonly secondsAPoint: number;
}

const WRITERS = 16;
/** A lone sale runs other code than a group does, and Node has compiled that after some 2,800 of them. */
const WARM_UP_LONE_SALES = 3_000;
const SALES_PER_SECOND = 500;
const REFUNDS_A_SECOND = 300;
export const USED_BY_OTHERS = "  of the machine used by anything else";
/** Microseconds of CPU time, for a sale. */
const TARGET_MICROS = { gateway: 125, database: 65 } as const;

interface Subjects {
  readonly undo: Undo;
  readonly gateway: RunningGateway;
  readonly sender: Sender;
  readonly bare: BareServer;
  readonly single: SingleWrites;
  readonly seconds: number;
}
type Values = Readonly<Record<string, number>>;

/** @param gateway on a fresh folder */
export async function measureTable(
  undo: Undo,
  gateway: RunningGateway,
  { rounds, secondsAPoint }: TablePlan,
  say: (line: string) => void,
): Promise<readonly Figure[]> {
  const sender = openSender();
  undo.add(sender.close);
  const [bare, single] = [await bareServer(undo), await singleWrites(undo)];
  const subjects: Subjects = { undo, gateway, sender, bare, single, seconds: secondsAPoint };
  await single.perSecond(WRITERS, secondsAPoint);
  await sender.send(gateway, TARGET_CONNECTIONS, { sales: WARM_UP_SALES });
  await sender.send(gateway, 1, { sales: WARM_UP_LONE_SALES });
  await lonePosts(single, gateway, { count: WARM_UP_LONE_SALES });
  const measured: Values[] = [];
  for (let round = 0; round < rounds; round++) {
    say(`  round ${round + 1} of ${rounds}`);
    measured.push({ ...(await sales(subjects)), ...(await oneConnection(subjects)), ...(await others(subjects)) });
  }
  await slowDown([gateway]);
  const added: Values[] = [];
  for (let round = 0; round < rounds; round++) {
    const { failed, p50Ms, p99Ms } = await overSlowProcessor(undo, [gateway], SALES_PER_SECOND, secondsAPoint);
    if (failed > 0) throw new Error(`${failed} sales failed`);
    const floor = await overBareServer(undo, bare.url, gateway.sandbox, SALES_PER_SECOND, secondsAPoint);
    added.push({ addedP50: p50Ms, addedP99: p99Ms, bareAddedP50: floor.p50Ms, bareAddedP99: floor.p99Ms });
  }
  return figuresOf((name) => median([...measured, ...added].flatMap((values) => values[name] ?? [])));
}

async function sales({ gateway, sender, single, seconds }: Subjects): Promise<Values> {
  const before = cpuMicrosOfFamily(single.databasePid);
  const oneByOne = await single.perSecond(WRITERS, seconds);
  const floorDatabase = (cpuMicrosOfFamily(single.databasePid) - before) / (oneByOne * seconds);
  const use = watch([gateway], sender.pid);
  const sent = await sender.send(gateway, TARGET_CONNECTIONS, { seconds });
  const used = use();
  const { salesPerSecond, p99Ms, senderMicrosPerSale: load } = sent;
  const most = (availableParallelism() * 1e6) / (TARGET_MICROS.gateway + TARGET_MICROS.database + load);
  return {
    ...{ sales: salesPerSecond, p99: p99Ms, oneByOne, floorDatabase, times: salesPerSecond / oneByOne },
    ...{ mostTimes: most / oneByOne, idle: used.idle, others: used.others },
    ...{ gateway: sent.gatewayMicrosPerSale, database: sent.databaseMicrosPerSale, load },
  };
}

async function oneConnection({ gateway, sender, single, bare, seconds }: Subjects): Promise<Values> {
  const { p50Ms } = await sender.send(gateway, 1, { seconds });
  const requests = saleBodies(gateway, "floor");
  const until = { seconds };
  const floor = await lonePosts(single, gateway, until);
  const post = { url: bare.url, connections: TARGET_CONNECTIONS, requests, status: 422, until };
  const many = await sentWithMicros(bare, () => sendRequests(post));
  const lone = await sendRequests({ ...post, connections: 1 });
  return {
    ...{ single: p50Ms, singleFloor: floor.p50Ms, timesFloor: p50Ms / floor.p50Ms },
    ...{ barePost: many.micros, barePosts: 1e6 / many.micros, barePostP99: many.sent.p99Ms, bareSingle: lone.p50Ms },
  };
}

const lonePosts = ({ url }: SingleWrites, gateway: RunningGateway, until: Requests["until"]) =>
  sendRequests({ url, connections: 1, requests: saleBodies(gateway, "floor"), status: 200, until });

function saleBodies({ sandbox }: RunningGateway, run: string): () => Request {
  const next = saleRequests(sandbox.api_token, sandbox.processors.usd ?? "", run);
  return () => ({ method: "POST", path: "/api/transactions/sale", ...next() });
}

/** What comes to nothing, what only reads, and follow-ups. */
async function others({ gateway, bare, seconds }: Subjects): Promise<Values> {
  const { url, sandbox } = gateway;
  const headers = { authorization: `Bearer ${sandbox.api_token}` };
  const until = { seconds };
  const get = (at: BareServer | RunningGateway, status: number, path: string) =>
    sendRequests({ url: at.url, connections: TARGET_CONNECTIONS, requests: [{ path, headers }], status, until });
  const aCore = async (...[at, status, path]: Parameters<typeof get>) =>
    1e6 / (await sentWithMicros(at, () => get(at, status, path))).micros;
  const sale = saleBodies(gateway, "wrong")();
  const wrong = { ...sale, body: JSON.stringify({ ...JSON.parse(String(sale.body)), card_expiry_month: "13" }) };
  const refused = { url, connections: TARGET_CONNECTIONS, requests: [wrong], status: 422, until };
  return {
    refused: (await sentWithMicros(gateway, () => sendRequests(refused))).micros,
    missing: await aCore(gateway, 404, "/nothing"),
    ready: await aCore(gateway, 200, "/health/ready"),
    bareGet: await aCore(bare, 200, "/nothing"),
    list: (await get(gateway, 200, "/api/transactions")).perSecond,
    pages: (await sendRequests({ url, connections: TARGET_CONNECTIONS, requests: pages(headers), status: 200, until }))
      .perSecond,
    refunds: await refunds(gateway, Math.round(REFUNDS_A_SECOND * seconds)),
  };
}

/** Who asks for the first page shares it with all who do so at the same time, and these with nobody. */
const pages = (headers: Request["headers"]): readonly Request[] =>
  Array.from({ length: 4 * TARGET_CONNECTIONS }, (_, nth) => ({ path: `/api/transactions?page=${nth + 1}`, headers }));

/** With the CPU time of a request. */
async function sentWithMicros(
  { pid }: { readonly pid: number },
  send: () => Promise<Sent>,
): Promise<{ readonly sent: Sent; readonly micros: number }> {
  const before = cpuMicrosOfFamily(pid);
  const sent = await send();
  return { sent, micros: (cpuMicrosOfFamily(pid) - before) / sent.count };
}

/** Each of a sale of its own, which is there before. */
async function refunds(gateway: RunningGateway, count: number): Promise<number> {
  const { url, sandbox } = gateway;
  const headers = { authorization: `Bearer ${sandbox.api_token}`, "content-type": "application/json" };
  const next = saleRequests(sandbox.api_token, sandbox.processors.usd ?? "", `refunded-${Date.now()}`);
  const sell = async (): Promise<string> => {
    const answer = await fetch(`${url}/api/transactions/sale`, { method: "POST", ...next() });
    return ((await answer.json()) as { transaction: { id: string } }).transaction.id;
  };
  const ids: string[] = [];
  // No more at once than the gateway takes from one address.
  while (ids.length < count)
    ids.push(...(await Promise.all(Array.from({ length: Math.min(TARGET_CONNECTIONS, count - ids.length) }, sell))));
  const requests = ids.map((id): Request => {
    return { method: "POST", path: `/api/transactions/${id}/refund`, headers, body: '{"amount":"1.00"}' };
  });
  const sent = await sendRequests({ url, connections: TARGET_CONNECTIONS, requests, status: 200, until: { count } });
  return sent.perSecond;
}

/** Each with the figure of the bare server that it is told as a ratio of, unless it is a share or a ratio itself. */
function figuresOf(of: (name: string) => number): readonly Figure[] {
  const figure = (better: Figure["better"], what: string, name: string, unit: string, bare?: string): Figure => {
    return { what, value: of(name), unit, better, ...(bare !== undefined && { bare: of(bare) }) };
  };
  const more = (...[what, name, unit, bare]: [string, string, string, string?]) =>
    figure("more", what, name, unit, bare);
  const less = (...[what, name, unit, bare]: [string, string, string, string?]) =>
    figure("less", what, name, unit, bare);
  const least = (target: number, told: Figure): Figure => ({ ...told, target: { least: target } });
  const most = (target: number, told: Figure): Figure => ({ ...told, target: { most: target } });
  return [
    more("sales at 64 connections", "sales", "/s", "barePosts"),
    more("  a bare server's POSTs, by CPU", "barePosts", "/s", "barePosts"),
    more("  two commits each, one by one, 16 connections", "oneByOne", "/s", "barePosts"),
    less("  PostgreSQL's CPU for these", "floorDatabase", "µs", "barePost"),
    least(2.5, more("  times these", "times", "")),
    more("  times these with nothing idle and both targets of CPU met", "mostTimes", ""),
    less("  p99", "p99", "ms", "barePostP99"),
    most(TARGET_MICROS.gateway, less("  the gateway's CPU a sale", "gateway", "µs", "barePost")),
    less("  a bare server's for the same POST", "barePost", "µs", "barePost"),
    most(TARGET_MICROS.database, less("  PostgreSQL's CPU a sale", "database", "µs", "barePost")),
    less("  the load's CPU a sale", "load", "µs", "barePost"),
    most(10, less("  of the machine idle", "idle", "%")),
    less(USED_BY_OTHERS, "others", "%"),
    less("one connection, p50", "single", "ms", "bareSingle"),
    less("  a bare server's POST, p50", "bareSingle", "ms", "bareSingle"),
    less("  a server with two single inserts, p50", "singleFloor", "ms", "bareSingle"),
    most(1.6, less("  times that server", "timesFloor", "")),
    most(90, less("a 422, CPU", "refused", "µs", "barePost")),
    least(30_000, more("a path that is not there, by CPU", "missing", "/s", "bareGet")),
    least(25_000, more("GET /health/ready, by CPU", "ready", "/s", "bareGet")),
    more("  a bare server's GET, by CPU", "bareGet", "/s", "bareGet"),
    least(1_000, more("GET /api/transactions, first page", "list", "/s", "bareGet")),
    more("  pages that differ", "pages", "/s", "bareGet"),
    more("refunds", "refunds", "/s", "barePosts"),
    most(5, less("added over a processor of 50 ms at 500 sales/s, p50", "addedP50", "ms", "bareAddedP50")),
    most(20, less("added over a processor of 50 ms at 500 sales/s, p99", "addedP99", "ms", "bareAddedP99")),
    less("  a bare server at 500 sales/s, p50", "bareAddedP50", "ms", "bareAddedP50"),
    less("  a bare server at 500 sales/s, p99", "bareAddedP99", "ms", "bareAddedP99"),
  ];
}
