// The run: load, faults, and after every few cycles a pause until all has come to an end, in which the accounts of clients,
// journal and host are held against each other.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { arrayOf } from "../../src/journal/columns.ts";
import { chanceFrom } from "../simulation/chance.ts";
import { booksOf } from "./books/books-of.ts";
import { cardsOnFile } from "./cards-on-file.ts";
import { check } from "./check/check.ts";
import { type Finding, finding } from "./check/finding.ts";
import { type Clients, startClients } from "./clients.ts";
import { type Fault, inflict, type Planned, planCycle } from "./faults.ts";
import { type Cast, type House, openHouse } from "./house.ts";
import { openNotes } from "./notes.ts";
import { startOperator } from "./operator.ts";
import { isTooLong, type Outage, refusing, watchSilence } from "./outage.ts";
import { PROVIDERS, type Provider } from "./providers.ts";
import { reconcile } from "./reconcile.ts";
import { hasten, readAll, readOpen, readWaiting } from "./records.ts";
import { type Report, reportOf } from "./report.ts";

export interface Plan {
  readonly seed: number;
  readonly cycles: number;
  /** All of them without it. */
  readonly providers?: readonly Provider[];
  /** Processes of each gateway that take requests; one without it. */
  readonly workers?: number;
  /** Instead of random faults. */
  readonly outage?: Outage | undefined;
  /** What happens in the first cycle, whatever is drawn. */
  readonly surely?: readonly Planned[];
  /** After so many cycles the load rests until all is resolved, and everything is checked. */
  readonly cyclesPerCheck: number;
  /** No new cycle begins after this. */
  readonly longestMs: number;
}

const CYCLE_MS = 1_000;
/** Of a cycle in which processes were killed: where they take long to come back, it lasts until so many operations were begun. */
const FEWEST_OPERATIONS = 12;
const LONGEST_CYCLE_MS = 15_000;
/** The longest pause between two attempts to resolve is a minute. */
const RESOLVED_WITHIN_MS = 90_000;
const LOOK_EVERY_MS = 50;

/** @param say is told of every check, in one line */
export async function torture(plan: Plan, say: (line: string) => void): Promise<Report> {
  const began = new Date();
  const chance = chanceFrom(plan.seed);
  const cast: Cast = {
    providers: plan.providers ?? PROVIDERS,
    workers: plan.workers ?? 1,
    nobodyDies: plan.outage !== undefined,
  };
  const house = await openHouse(cast);
  const since = performance.now();
  const notes = openNotes(join(house.folder, "notes.jsonl"));
  const faults: Fault[] = [];
  const findings: Finding[] = [];
  let cycles = 0;
  let over = false;
  let entered = 0;
  let checkedAt = began;
  let report: Report | undefined;
  let clients: Clients | undefined;
  const { outage } = plan;
  const silence = outage && watchSilence(house.sql);
  try {
    const known: { id: string; amount: number }[] = [];
    const cards = cardsOnFile();
    while (!over && findings.length === 0) {
      clients = startClients(house, notes, known, cards, chanceFrom(chance.below(2 ** 31)), outage?.clients);
      for (let last = Math.min(cycles + plan.cyclesPerCheck, plan.cycles); cycles < last; cycles++) {
        const enough = notes.requests.length + FEWEST_OPERATIONS;
        const first = outage ? refusing(house, outage) : (plan.surely ?? []);
        const planned = [...(cycles === 0 ? first : []), ...(outage ? [] : planCycle(chance, cast))];
        faults.push(...(await runCycle(house, planned)));
        const until = Date.now() + LONGEST_CYCLE_MS;
        while (notes.requests.length < enough && Date.now() < until) await sleep(LOOK_EVERY_MS);
      }
      await silence?.stop();
      const rested = performance.now();
      await letBe(house);
      // Now too: a client goes on asking until what it waits for has its end, which may be in a webhook that was lost.
      await tellAll(house, checkedAt);
      const operator = startOperator(house, began);
      await clients.finish(RESOLVED_WITHIN_MS);
      findings.push(...(await allResolved(house, checkedAt)));
      entered += await operator.stop();
      checkedAt = new Date();
      const restedMs = performance.now() - rested;
      const accounts = await readAll(house, began);
      findings.push(...check({ ...accounts, requests: notes.requests, books: booksOf(house.records) }));
      findings.push(...(await checkBalances(house, known)));
      findings.push(...(await cards.check(house.sql, notes.requests)));
      if (silence && isTooLong(silence.longestMs())) findings.push(finding("alive", `${silence.longestMs()} ms`));
      over = cycles === plan.cycles || performance.now() - since >= plan.longestMs;
      if (over && findings.length === 0) findings.push(...(await reconcile(house)));
      const run = {
        cards: cards.counts(),
        seed: plan.seed,
        workers: cast.workers,
        ms: performance.now() - since,
        silentMs: silence?.longestMs(),
      };
      report = reportOf({ ...run, cycles, faults, findings, entered, notes, house, accounts });
      say(`${cycles} cycles, ${notes.requests.length} operations, at rest after ${(restedMs / 1000).toFixed(1)} s`);
    }
  } finally {
    await silence?.stop();
    await clients?.finish(0);
    notes.close();
    await house.close(findings.length > 0 || report === undefined);
  }
  if (report === undefined) throw new Error("the run has no check");
  return report;
}

/** @returns what was really done */
async function runCycle(house: House, planned: readonly Planned[]): Promise<readonly Fault[]> {
  const done: Fault[] = [];
  const inflicted = planned.map(async ({ afterMs, fault }) => {
    await sleep(afterMs);
    await inflict(house, fault).then(
      () => done.push(fault),
      () => undefined, // what was to misbehave was just dead
    );
  });
  await Promise.all([sleep(CYCLE_MS), ...inflicted]);
  return done;
}

/** All faults end, and all processes are there again. */
async function letBe({ gateways, host, links, providers }: House): Promise<void> {
  for (const link of links) link.behave();
  for (const gateway of gateways) gateway.arm(null);
  for (const kept of [host, ...providers, ...gateways]) await kept.ready();
  await host.behave();
  for (const provider of providers) await provider.behave();
}

/** What was accepted is told, and what was told is applied; then as if a day had passed, for what is asked again only then. */
async function allResolved(house: House, since: Date): Promise<readonly Finding[]> {
  const told = async () => {
    await tellAll(house, since);
    return nothingOpen(house);
  };
  const left = await told();
  if (left.length > 0 || (await hasten(house.sql)) === 0) return left;
  return [...(await nothingOpen(house)), ...(await told())];
}

async function tellAll({ providers }: House, since: Date): Promise<void> {
  for (const provider of providers) await provider.tellAll(since);
}

async function nothingOpen({ sql }: House): Promise<readonly Finding[]> {
  for (const until = Date.now() + RESOLVED_WITHIN_MS; ; await sleep(LOOK_EVERY_MS)) {
    const open = await readOpen(sql).catch(() => undefined);
    if (open !== undefined && Object.values(open).every((count) => count === 0)) return [];
    if (Date.now() > until) {
      const waiting = await readWaiting(sql).catch(() => []);
      return [finding("open", `still open: ${JSON.stringify(open)} ${JSON.stringify(waiting)}`)];
    }
  }
}

/** What the host itself says is held or taken, for the transactions that were worked on last. */
async function checkBalances(house: House, known: readonly { id: string }[]): Promise<readonly Finding[]> {
  const { sql, host, records, providers } = house;
  const findings: Finding[] = [];
  const ids = known.map(({ id }) => id);
  const ours = await sql<{ id: string; processor: string; balance: string }[]>`
    select e.transaction_id as id, e.processor_id as processor, sum(case when e.type in ('sale', 'auth') then amount
      when e.type = 'capture' then 0 else -amount end)::text as balance
    from events e join outcomes o using (merchant_id, transaction_id, sequence)
      left join late_failures l using (merchant_id, transaction_id, sequence)
    where o.kind = 'approved' and l.created_at is null and e.processor_id <> ${records.simulator}
      and e.transaction_id = any(${arrayOf(sql, "uuid", ids)}) group by 1, 2`;
  for (const { id, processor, balance } of ours) {
    const provider = providers.find((one) => records.atProviders[one.provider] === processor);
    const theirs = await (provider ?? host).balance(id);
    if (theirs === BigInt(balance)) continue;
    const inVain = provider?.releasedInVain(id) ?? 0n;
    if (theirs + inVain !== BigInt(balance))
      findings.push(finding("differs", `${id}: ${balance}, at the host ${theirs}`));
  }
  return findings;
}
