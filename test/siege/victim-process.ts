// Merchant V, in a process of its own: sells twenty times a second, whether or not earlier sales were answered, looks its
// sales up, and tells of each phase how long answers took from the moment they were due, and what was not as it must be.

import { Agent } from "node:http";
import { performance } from "node:perf_hooks";
import { ascending, percentile } from "../../bench/statistics.ts";
import { sale } from "../journeys/merchant.fixture.ts";
import { ADDRESSES } from "./ground.ts";
import { type Answered, sendOn } from "./send.ts";

export interface VictimStart {
  readonly port: number;
  /** Sales take turns with them: together they are above one token's rate limit. */
  readonly saleTokens: readonly string[];
  readonly readToken: string;
  readonly processorId: string;
  readonly run: string;
}
export type Told = VictimStart | { readonly phase: string } | "tell" | "stop" | "compare";

export interface PhaseFigures {
  readonly sales: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
  readonly looks: number;
  readonly looksP99Ms: number;
}
export interface VictimFigures {
  readonly phases: Readonly<Record<string, PhaseFigures>>;
  readonly sales: number;
  readonly failed: number;
  /** Some of what went wrong, in words. */
  readonly faults: readonly string[];
  /** Answers to its own questions that were none, or another's. */
  readonly looksFailed: number;
}
export interface Compared {
  readonly sold: number;
  readonly listed: number;
  readonly missing: number;
  readonly twice: number;
  /** How long the list took. */
  readonly seconds: number;
  /** What was answered in its place; null if it was there. */
  readonly fault: string | null;
}

const SALE_EVERY_MS = 50;
const LOOK_EVERY_MS = 500;
const TICK_MS = 1;
const ANSWER_WITHIN_MS = 30_000;
/** All of an hour's sales, on a slow machine. */
const LIST_WITHIN_MS = 300_000;
const MOST_FAULTS = 20;
/** No order number is the beginning of another. */
const ORDER_DIGITS = 8;

interface Phase {
  readonly latenciesMs: number[];
  readonly looksMs: number[];
  failed: number;
}
const newPhase = (): Phase => ({ latenciesMs: [], looksMs: [], failed: 0 });

/** Closes what is idle before the gateway does, as its Keep-Alive asks: a sale that crosses a close is lost in any HTTP/1.1. */
const agent = new Agent({ keepAlive: true, timeout: 60_000 });
const phases = new Map<string, Phase>();
const sold: { readonly id: string; readonly order: string }[] = [];
const faults: string[] = [];
let [now, looksFailed, inFlight] = [newPhase(), 0, 0];
let start: VictimStart | undefined;
let timers: NodeJS.Timeout[] = [];

process.on("disconnect", () => process.exit());
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined); // the parent's business
process.on("message", (told: Told) => {
  if (told === "tell") process.send?.(figures());
  else if (told === "stop") for (const timer of timers) clearInterval(timer);
  else if (told === "compare") void compare().then((compared) => process.send?.(compared));
  else if ("phase" in told) {
    now = newPhase();
    phases.set(told.phase, now);
  } else begin(told);
});

function begin(to: VictimStart): void {
  start = to;
  let [dueAt, nth] = [performance.now(), 0];
  const sales = setInterval(() => {
    for (; dueAt <= performance.now(); dueAt += SALE_EVERY_MS) void sell(to, nth++, dueAt);
  }, TICK_MS);
  timers = [sales, setInterval(() => void look(to), LOOK_EVERY_MS)];
}

function ask(
  to: VictimStart,
  token: string,
  method: string,
  path: string,
  body?: object,
  withinMs = ANSWER_WITHIN_MS,
): Promise<Answered> {
  return sendOn({ port: to.port, from: ADDRESSES.victim, agent, token, withinMs }, method, path, body);
}

function told(what: string): void {
  if (faults.length < MOST_FAULTS) faults.push(`${new Date().toISOString()} ${what.slice(0, 500)}`);
}

async function sell(to: VictimStart, nth: number, dueAt: number): Promise<void> {
  const phase = now;
  const order = `${to.run}-${String(nth).padStart(ORDER_DIGITS, "0")}`;
  const token = to.saleTokens[nth % to.saleTokens.length] ?? "";
  inFlight++;
  const { status, text } = await ask(to, token, "POST", "/api/transactions/sale", saleOf(to.processorId, order));
  inFlight--;
  const id = approvedId(status, text, order);
  if (id !== undefined) {
    sold.push({ id, order });
    phase.latenciesMs.push(performance.now() - dueAt);
  } else {
    phase.failed++;
    told(`sale ${order}: ${status} ${text}`);
  }
}

function approvedId(status: number, text: string, order: string): string | undefined {
  if (status !== 200) return undefined;
  const { transaction } = JSON.parse(text) as Shown;
  return transaction.merchant_transaction_id === order && transaction.events[0]?.success ? transaction.id : undefined;
}

interface Shown {
  readonly transaction: {
    readonly id: string;
    readonly merchant_transaction_id: string;
    readonly events: readonly { readonly success: boolean }[];
  };
}

/** What was sold is found, by its id and by its order number, and nothing else is found in its place. */
async function look(to: VictimStart): Promise<void> {
  const one = sold[Math.floor(Math.random() * sold.length)];
  if (one === undefined) return;
  const phase = now;
  const since = performance.now();
  const byId = Math.random() < 0.5;
  const path = byId ? `/${one.id}` : `?search[merchant_transaction_id]=${one.order}`;
  const { status, text } = await ask(to, to.readToken, "GET", `/api/transactions${path}`);
  phase.looksMs.push(performance.now() - since);
  if (status === 200 && (byId ? isIt(text, one.id) : lists(text, one.id))) return;
  looksFailed++;
  told(`look-up of ${one.order}: ${status} ${text}`);
}

const isIt = (text: string, id: string): boolean => (JSON.parse(text) as Shown).transaction.id === id;

function lists(text: string, id: string): boolean {
  const { transactions } = JSON.parse(text) as { transactions: { id: string }[] };
  return transactions.length === 1 && transactions[0]?.id === id;
}

function figures(): VictimFigures {
  const told = [...phases].map(([name, { latenciesMs, looksMs, failed }]) => {
    const sorted = ascending(latenciesMs);
    const at = (share: number) => (sorted.length === 0 ? Number.NaN : percentile(sorted, share));
    const looks = ascending(looksMs);
    const looksP99Ms = looks.length === 0 ? Number.NaN : percentile(looks, 0.99);
    const shown = { sales: sorted.length, failed, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) };
    return [name, { ...shown, looks: looks.length, looksP99Ms }] as const;
  });
  const failed = told.reduce((sum, [, phase]) => sum + phase.failed, 0);
  return { phases: Object.fromEntries(told), sales: sold.length, failed, faults, looksFailed };
}

/** Each sale once in the list of all, and nothing else under its order numbers. */
async function compare(): Promise<Compared> {
  while (inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  if (start === undefined) throw new Error("there is no merchant");
  const path = `/api/transactions?format=csv&search[merchant_transaction_id]=${start.run}-`;
  const since = performance.now();
  const { status, text } = await ask(start, start.readToken, "GET", path, undefined, LIST_WITHIN_MS);
  const seconds = (performance.now() - since) / 1_000;
  const fault = status === 200 ? null : `${status} ${text.slice(0, 200)}`;
  const ids = text
    .split("\n")
    .slice(1)
    .flatMap((line) => (line === "" ? [] : [line.slice(0, line.indexOf(","))]));
  const listed = new Set(ids);
  const missing = sold.filter(({ id }) => !listed.has(id)).length;
  return { sold: sold.length, listed: ids.length, missing, twice: ids.length - listed.size, seconds, fault };
}

/** The sale that it sends again and again. */
const saleOf = (processorId: string, order: string): object =>
  sale({
    ...{ processor_id: processorId, merchant_transaction_id: order, card_cvv: "123" },
    ...{ first_name: "Jane", last_name: "Doe", email: "jane@example.com", street_address_1: "1 Main Street" },
    ...{ city: "Los Gatos", state: "CA", country: "US", zip: "95030" },
  });
