// What a run shows, in figures, and as lines for people.

import { isCharge } from "../../src/payment/transaction.ts";
import type { Booked, JournalEvent, JournalKey } from "./accounts.ts";
import { booksOf } from "./books/books-of.ts";
import { APPROVED, evidenceOf } from "./check/evidence.ts";
import { type Finding, RULES, type Rule } from "./check/finding.ts";
import type { Fault } from "./faults.ts";
import { type House, TIMEOUT_MS } from "./house.ts";
import type { Notes } from "./notes.ts";

export interface Report {
  readonly seed: number;
  readonly cycles: number;
  /** Of each gateway. */
  readonly workers: number;
  readonly seconds: number;
  /** Operations of clients, how often they were sent, events in the journal, lines in the books. */
  readonly operations: number;
  readonly sendings: number;
  readonly events: number;
  readonly booked: number;
  /** On file, by clients and charges; and how many operations were charges of them. */
  readonly cards: { readonly stored: number; readonly deleted: number; readonly charged: number };
  /** By host. */
  readonly bookedBy: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  /** By the step at which they had been told to. */
  readonly killedThemselves: Readonly<Record<string, number>>;
  /** Of gateways as a whole. */
  readonly gatewayDeaths: number;
  /** Of workers whose gateway went on. */
  readonly workersLost: number;
  readonly hostDeaths: number;
  /** What was not answered at once: how many, and how long until the journal or the books had an end of it. */
  readonly leftOpen: { readonly count: number; readonly within30s: number; readonly longestSeconds: number };
  /** How many operations the operator ended, by the books. */
  readonly entered: number;
  /** The longest time between two heartbeats of a node; undefined where processes were killed. */
  readonly silentMs: number | undefined;
  readonly findings: readonly Finding[];
  /** Where journal, books, notes and logs are, if anything was found. */
  readonly folder: string;
}

interface Run {
  readonly seed: number;
  readonly cycles: number;
  readonly workers: number;
  readonly faults: readonly Fault[];
  readonly findings: readonly Finding[];
  readonly entered: number;
  readonly notes: Notes;
  readonly cards: Pick<Report["cards"], "stored" | "deleted">;
  readonly house: House;
  readonly accounts: {
    readonly events: readonly JournalEvent[];
    readonly keys: readonly JournalKey[];
    readonly booked: readonly Booked[];
  };
  readonly ms: number;
  readonly silentMs: number | undefined;
}

export function reportOf({
  seed,
  cycles,
  workers,
  faults,
  findings,
  entered,
  notes,
  cards,
  house,
  accounts,
  ms,
  silentMs,
}: Run): Report {
  const { events, booked } = accounts;
  const took = timesToEnd({ ...accounts, house });
  return {
    seed,
    cycles,
    workers,
    seconds: ms / 1000,
    operations: notes.requests.length,
    sendings: notes.sendings,
    events: events.length,
    booked: booked.length,
    cards: { ...cards, charged: notes.requests.filter(({ body }) => body.card_id !== undefined).length },
    bookedBy: counted(booked.map(({ book }) => book)),
    outcomes: counted(events.map(({ outcome }) => outcome?.kind ?? "pending")),
    faults: counted(faults.map(nameOf)),
    killedThemselves: counted(house.stepsOfDeath()),
    gatewayDeaths: house.gateways[0].deaths + house.gateways[1].deaths,
    workersLost: house.workersLost(),
    hostDeaths: house.host.deaths,
    leftOpen: {
      count: took.length,
      within30s: took.filter((each) => each <= 30_000).length,
      longestSeconds: Math.max(0, ...took) / 1000,
    },
    ...{ entered, silentMs },
    findings: [...findings],
    folder: house.folder,
  };
}

/** In milliseconds, of each event that was not answered in time. */
function timesToEnd({ house, ...accounts }: Run["accounts"] & { readonly house: House }): readonly number[] {
  const { entriesOf } = evidenceOf({ ...accounts, requests: [], books: booksOf(house.records) });
  return accounts.events.flatMap((event) => {
    const { outcome, createdAt } = event;
    if (outcome === null) return [];
    const reversal = entriesOf(event)?.reversals.find(({ code }) => code === APPROVED);
    const ended = isCharge(event) && outcome.kind === "unanswered" ? reversal?.at : outcome.at;
    const ms = (ended ?? outcome.at).getTime() - createdAt.getTime();
    return ms > TIMEOUT_MS ? [ms] : [];
  });
}

const nameOf = (fault: Fault): string =>
  fault.what === "host misbehaves" ? `host misbehaves: ${fault.rule.what}` : fault.what;

function counted(names: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names.toSorted()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}

const MOST_SHOWN = 20;

export function render(report: Report): string {
  const { leftOpen, findings } = report;
  const listed = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ");
  const count = (rule: Rule) => findings.filter((each) => each.rule === rule).length;
  const share = leftOpen.count === 0 ? 100 : (100 * leftOpen.within30s) / leftOpen.count;
  return [
    "",
    `seed ${report.seed}, two gateways of ${report.workers === 1 ? "one process" : `${report.workers} workers`} each, ${report.cycles} cycles in ${report.seconds.toFixed(0)} s`,
    `${report.operations} operations, sent ${report.sendings} times; ${report.events} events, ${report.booked} lines in the books (${listed(report.bookedBy)})`,
    `cards on file: ${listed(report.cards)}`,
    `outcomes: ${listed(report.outcomes)}`,
    `faults: ${listed(report.faults)}`,
    `steps reached: ${listed(report.killedThemselves)}`,
    `gateways died ${report.gatewayDeaths} times, the host ${report.hostDeaths} times${report.workers > 1 ? `, workers alone ${report.workersLost} times` : ""}`,
    `acknowledged events lost ${count("lost")}, charges doubled ${count("doubled")}, differences between the books ${count("differs")}, outcomes guessed ${count("guessed")}, left open ${count("open")}`,
    `not answered at once ${leftOpen.count}, of these resolved within 30 s ${share.toFixed(1)} %, the longest after ${leftOpen.longestSeconds.toFixed(1)} s; ${report.entered} by the operator`,
    ...(report.silentMs === undefined
      ? []
      : [`longest time between two heartbeats of a node: ${(report.silentMs / 1000).toFixed(1)} s`]),
    ...findings.slice(0, MOST_SHOWN).map(({ rule, what }) => `  BROKEN: ${RULES[rule]}: ${what}`),
    ...(findings.length > MOST_SHOWN ? [`  and ${findings.length - MOST_SHOWN} more`] : []),
    ...(findings.length > 0 ? [`notes, books, journal and logs: ${report.folder}`] : []),
  ].join("\n");
}
