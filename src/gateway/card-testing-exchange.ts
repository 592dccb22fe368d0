// What nodes tell each other, and the operator, of groups of charges that look like card testing: gathered until it is taken,
// and exchanged twice a second in the background, so that no charge waits for it.

import type { Sql } from "../journal/database.ts";
import { countNodes } from "../journal/nodes.ts";
import { type ReportRow, removeOldReports, reportsOfOthers, writeReports } from "../merchants/card-testing-reports.ts";
import type { Evidence } from "../payment/card-testing.ts";
import { forgetOldest } from "../shares/forget-oldest.ts";
import type { ChargeGroup } from "./charge-groups.ts";
import { every } from "./every.ts";
import type { Parts } from "./parts.ts";

const EVERY_MS = 500;
const REMOVE_EVERY_ROUNDS = 7_200;
const FORGET_EVERY_ROUNDS = 120;
const MOST_TOLD = 1_000;

/** What is exchanged: what this node has to tell, and what it learns. */
export interface Exchanged {
  /** What is worth telling to others of what happened since the last call. */
  takeReports(): Report[];
  /**
   * What others counted, by {@link Report.name}; replaces what was known of it.
   * @param nodes that watch, this one among them
   */
  learn(others: ReadonlyMap<string, Told>, nodes: number): void;
}

/** Goes on until it is stopped. */
export function startCardTestingExchange(
  { clock, log }: Pick<Parts, "clock" | "log">,
  watch: Exchanged,
  sql: Sql,
  node: number,
): { stop(): Promise<void> } {
  let rounds = 0;
  /** What is being told of already is not logged again. */
  let told = new Set<string>();
  return every(EVERY_MS, log, async () => {
    const reports = watch.takeReports();
    const refused = reports.filter((report) => report.refused > 0);
    for (const { merchantId, signal, shown, cards, declined, name } of refused)
      if (!told.has(name))
        log.warn({ merchantId, signal, shown, cards, declined }, "charges are refused: card testing");
    const quiet = refused.length === 0 && rounds % FORGET_EVERY_ROUNDS === 0;
    told = new Set(quiet || told.size > MOST_TOLD ? [] : [...told, ...refused.map(({ name }) => name)]);
    await writeReports(sql, node, clock.now(), reports.map(rowOf));
    const others = await reportsOfOthers(sql, node);
    watch.learn(
      new Map(others.map(({ merchantId, signal, key, ...counts }) => [`${merchantId} ${signal} ${key}`, counts])),
      await countNodes(sql),
    );
    if (rounds++ % REMOVE_EVERY_ROUNDS === 0) await removeOldReports(sql);
    return "pause";
  });
}

const rowOf = ({ name: _name, answered: _answered, pending: _pending, ...row }: Report): ReportRow => row;

/** What nodes tell each other of a group. */
export type Told = Omit<Evidence, "pending" | "answered">;

/** A group of cards that looks like card testing. */
export interface Report extends Evidence, Omit<ChargeGroup, "refusals"> {
  /** Charges since the last report. */
  readonly slowed: number;
  readonly refused: number;
}

export interface Reports {
  /** Replaces the evidence and adds what happened. */
  add(group: ChargeGroup, evidence: Evidence, happened?: "slowed" | "refused"): void;
  take(): Report[];
}

/** @param most groups; of more, the rest is told when they are touched again */
export function openReports(most: number): Reports {
  const reports = new Map<string, Report>();
  return {
    add({ refusals: _, ...group }, evidence, happened) {
      const before = reports.get(group.name);
      if (before === undefined && reports.size >= most) return;
      const slowed = (before?.slowed ?? 0) + (happened === "slowed" ? 1 : 0);
      const refused = (before?.refused ?? 0) + (happened === "refused" ? 1 : 0);
      reports.set(group.name, { ...group, ...evidence, slowed, refused });
    },
    take() {
      const taken = [...reports.values()];
      reports.clear();
      return taken;
    },
  };
}

/** Others go by what was told within a minute. */
const TELL_AGAIN_MS = 20_000;

interface ToldGroup<Sighting> {
  readonly group: ChargeGroup;
  /** The newest charge of it that was told of. */
  readonly sighting: Sighting;
  readonly atMs: number;
}

/** What was told, until it is told again. */
export class ToldGroups<Sighting> {
  readonly #most: number;
  /** The one that was told first of all comes first. */
  readonly #told = new Map<string, ToldGroup<Sighting>>();

  constructor(most: number) {
    this.#most = most;
  }

  note(told: ToldGroup<Sighting>): void {
    this.#told.delete(told.group.name);
    this.#told.set(told.group.name, told);
    forgetOldest(this.#told, this.#most);
  }

  /** What the others will soon go by no more. It is forgotten here. */
  takeOld(nowMs: number): readonly ToldGroup<Sighting>[] {
    const old = [...this.#told.values()].filter(({ atMs }) => atMs <= nowMs - TELL_AGAIN_MS);
    for (const { group } of old) this.#told.delete(group.name);
    return old;
  }
}
