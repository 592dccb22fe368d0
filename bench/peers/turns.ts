// Measures the peers by turns: payments at each number of connections, a page of a list, refunds; at the end their memory. Whatever is
// counted has to be in the database, approved.

import { type OutgoingHttpHeaders, request } from "node:http";
import { performance } from "node:perf_hooks";
import { text } from "node:stream/consumers";
import type { Sql } from "../../src/journal/database.ts";
import { cpuMicrosOfFamily, memoryMiB } from "../processes.ts";
import { type Sent, sendRequests } from "../requests.ts";
import { ascending, percentile } from "../statistics.ts";
import { watch } from "../watch.ts";
import { type Name, type Peer, processesOf } from "./peer.ts";

export interface PeersPlan {
  readonly turns: number;
  readonly secondsAPoint: number;
  /** Of payments, before anything is measured: both compile while they work. */
  readonly warmUpSeconds: number;
  /** In each turn. */
  readonly lists: number;
  readonly refunds: number;
}

/** Takes some eight minutes. */
export const FULL: PeersPlan = { turns: 5, secondsAPoint: 6, warmUpSeconds: 60, lists: 60, refunds: 320 };
/** Takes some four minutes. */
export const QUICK: PeersPlan = { turns: 3, secondsAPoint: 4, warmUpSeconds: 30, lists: 30, refunds: 160 };

export const CONNECTIONS = [1, 16, 64] as const;
const REFUND_CONNECTIONS = 16;
const AT_ONCE = 16;
const LIST_WITHIN_MS = 60_000;
/** Of the warm-up, over a single connection: a lone payment runs other code than one of many. */
const LONE_SHARE = 0.25;

export const KINDS = ["payments at 1", "payments at 16", "payments at 64", "list", "refunds"] as const;
export type Kind = (typeof KINDS)[number];

/** A measurement of one peer in one turn. CPU time in microseconds, and bytes, for each request. */
export interface Sample {
  readonly turn: number;
  readonly name: Name;
  readonly kind: Kind;
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly gatewayMicros: number;
  readonly databaseMicros: number;
  readonly walBytes: number;
  /** Of the machine, in percent: whatever takes no part. */
  readonly othersPercent: number;
}

export interface Memory {
  readonly name: Name;
  /** Resident, of the gateway's processes without the database: now, and each one's most added up. */
  readonly nowMiB: number;
  readonly peakMiB: number;
}

export interface Measured {
  readonly samples: readonly Sample[];
  readonly memory: readonly Memory[];
}

/** @throws if an answer is wrong, or if a payment that was counted is not in the database */
export async function measurePeers(
  peers: readonly Peer[],
  plan: PeersPlan,
  say: (line: string) => void,
): Promise<Measured> {
  const counted = new Map<Peer, number>(peers.map((peer) => [peer, 0]));
  const add = (peer: Peer, count: number) => counted.set(peer, (counted.get(peer) ?? 0) + count);
  for (const peer of peers) {
    say(`  ${peer.name}: ${plan.warmUpSeconds} s of payments before it is measured`);
    const lone = Math.max(1, Math.round(plan.warmUpSeconds * LONE_SHARE));
    add(peer, (await pay(peer, AT_ONCE, Math.max(1, plan.warmUpSeconds - lone))).count);
    add(peer, (await pay(peer, 1, lone)).count);
    say(`  ${peer.name}: ${plan.lists} lists and ${plan.refunds} refunds before it is measured`);
    await list(peer, plan.lists);
    const ids = await chargesOf(peer, plan.refunds, "warm-up");
    add(peer, ids.length + (await refund(peer, ids)).count);
  }
  const samples: Sample[] = [];
  for (let turn = 0; turn < plan.turns; turn++) {
    say(`  turn ${turn + 1} of ${plan.turns}`);
    // Who begins changes with each turn.
    const order = turn % 2 === 0 ? peers : peers.toReversed();
    const seconds = plan.secondsAPoint;
    for (const connections of CONNECTIONS)
      for (const peer of order) {
        const kind = `payments at ${connections}` as const;
        const sample = await sampled(peer, turn, kind, () => pay(peer, connections, seconds));
        add(peer, sample.count);
        samples.push(sample);
      }
    for (const peer of order) samples.push(await sampled(peer, turn, "list", () => list(peer, plan.lists)));
    for (const peer of order) {
      const ids = await chargesOf(peer, plan.refunds, `refunded-${turn}`);
      samples.push(await sampled(peer, turn, "refunds", () => refund(peer, ids)));
      add(peer, 2 * ids.length);
    }
  }
  for (const peer of peers) await requireKept(peer, counted.get(peer) ?? 0);
  return { samples, memory: peers.map(memoryOf) };
}

async function sampled(peer: Peer, turn: number, kind: Kind, send: () => Promise<Sent>): Promise<Sample> {
  const { name, pid, databasePid, sql } = peer;
  const spent = () => ({
    gateway: processesOf(peer).reduce((sum, one) => sum + cpuMicrosOfFamily(one), 0),
    database: cpuMicrosOfFamily(databasePid),
  });
  const walBefore = await walOf(sql);
  const [use, before] = [watch([{ pid, databasePid }], process.pid), spent()];
  const { count, perSecond, p50Ms, p99Ms } = await send().catch((fault: unknown) => {
    throw new Error(`${name}, ${kind}: ${String(fault)}`);
  });
  const [{ others }, after] = [use(), spent()];
  return {
    ...{ turn, name, kind, count, perSecond, p50Ms, p99Ms, othersPercent: others },
    gatewayMicros: (after.gateway - before.gateway) / count,
    databaseMicros: (after.database - before.database) / count,
    walBytes: ((await walOf(sql)) - walBefore) / count,
  };
}

async function walOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`;
  return row?.bytes ?? 0;
}

let loads = 0;

function pay({ url, done, isApproved, payments }: Peer, connections: number, seconds: number) {
  const requests = payments(`load-${process.pid}-${++loads}`);
  return sendRequests({ url, connections, requests, status: done, isRight: isApproved, until: { seconds } });
}

/** One after the other, each over a connection of its own: several that ask for the same page at the same time share it on one side. */
async function list({ url, list: { path, headers }, isList }: Peer, count: number): Promise<Sent> {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  while (latenciesMs.length < count) {
    const askedAt = performance.now();
    const { status, body } = await get(new URL(url + path), { ...headers });
    latenciesMs.push(performance.now() - askedAt);
    if (status !== 200 || !isList(body)) throw new Error(`${status} ${body.slice(0, 500)}`);
  }
  const perSecond = (count * 1_000) / (performance.now() - startedAt);
  const sorted = ascending(latenciesMs);
  return { count, perSecond, p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
}

function get(url: URL, headers: OutgoingHttpHeaders): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const options = { headers, agent: false, timeout: LIST_WITHIN_MS };
    const sent = request(url, options, async (answer) => {
      try {
        resolve({ status: answer.statusCode ?? 0, body: await text(answer) });
      } catch (fault) {
        reject(fault);
      }
    });
    sent.on("timeout", () => sent.destroy(new Error("no answer in time"))).on("error", reject);
    sent.end();
  });
}

function refund(peer: Peer, ids: readonly string[]) {
  const { url, done, isApproved } = peer;
  const requests = ids.map((id) => peer.refund(id));
  const until = { count: requests.length };
  return sendRequests({ url, connections: REFUND_CONNECTIONS, requests, status: done, isRight: isApproved, until });
}

/** Each is refunded by itself. */
async function chargesOf({ url, payments, idOf }: Peer, count: number, run: string): Promise<readonly string[]> {
  const next = payments(`${run}-${process.pid}`);
  const charge = async (): Promise<string> => {
    const { path = "", body, headers } = next();
    const answer = await fetch(url + path, {
      method: "POST",
      body: String(body),
      headers: headers as Record<string, string>,
    });
    return idOf(answer);
  };
  const ids: string[] = [];
  while (ids.length < count)
    ids.push(...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - ids.length) }, charge))));
  return ids;
}

async function requireKept(peer: Peer, counted: number): Promise<void> {
  const { approved, others } = await peer.counted();
  if (approved < counted || others > 0)
    throw new Error(
      `${peer.name} answered ${counted} payments and refunds; its database has ${approved} that are approved and ${others} others.`,
    );
}

function memoryOf(peer: Peer): Memory {
  const each = processesOf(peer).map(memoryMiB);
  const sum = (of: (one: (typeof each)[number]) => number) => each.reduce((all, one) => all + of(one), 0);
  return { name: peer.name, nowMiB: sum(({ now }) => now), peakMiB: sum(({ peak }) => peak) };
}
