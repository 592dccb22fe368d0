// Tells other nodes, and the operator, what this one sees of card testing, and learns what they see: twice a second, in the
// background, so that no charge waits for it.

import type { Sql } from "../journal/database.ts";
import { type ReportRow, removeOldReports, reportsOfOthers, writeReports } from "../merchants/card-testing-reports.ts";
import type { CardTestingWatch } from "./card-testing.ts";
import { every } from "./every.ts";
import type { Parts } from "./parts.ts";

const EVERY_MS = 500;
const REMOVE_EVERY_ROUNDS = 7_200;
const FORGET_EVERY_ROUNDS = 120;
const MOST_TOLD = 1_000;

/** Goes on until it is stopped. */
export function startCardTestingExchange(
  { clock, log }: Pick<Parts, "clock" | "log">,
  watch: CardTestingWatch,
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
    );
    if (rounds++ % REMOVE_EVERY_ROUNDS === 0) await removeOldReports(sql);
    return "pause";
  });
}

const rowOf = ({ name: _name, ...row }: ReportRow & { readonly name: string }): ReportRow => row;
