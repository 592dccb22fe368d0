// Lines in the log of what anybody can cause, or what each request meets alike: a few are told one by one, and once a minute how many more
// there were, and from where. So the log shows who does it, and nothing fills the disk with it. Each process counts for itself.

import { minuteCounts } from "./minute-counts.ts";
import { networkOf } from "./network.ts";

type Tell = (facts: object, text: string) => void;
type Log = { readonly info: Tell; readonly warn: Tell; readonly error: Tell };

export interface Line {
  /** The request's, where there is one. */
  readonly log: Log;
  /** Default: info. */
  readonly level?: keyof Log;
  readonly facts: Readonly<Record<string, unknown>> & { readonly address: string };
  /** The same of all that are counted together. */
  readonly text: string;
  /** The id of a token or a person of ours: each is counted by itself, from wherever it is used. */
  readonly known?: string | undefined;
}

export interface LogLines {
  /** Logs it, or counts it if there were too many within the minute. */
  tell(line: Line): void;
  /** Counts it. */
  leaveOut(line: Pick<Line, "facts" | "text" | "known">): void;
  /** Tells what was only counted so far. */
  close(): void;
}

/** Of one text within a minute. */
const LINES = { ofNetwork: 10, ofAllNetworks: 60, ofKnown: 30 };
const EVERY_MS = 60_000;
const MOST_HOLDERS = 10_000;
/** There are as many as places in the code that write one. */
const MOST_TEXTS = 100;
const MOST_NAMED = 5;
/** Beyond the most holders. */
const OTHERS = "others";

/** @param log where numbers are told @param realTimeMs monotonic */
export function logLines(log: Log, realTimeMs?: () => number): LogLines {
  const ofNetwork = minuteCounts(MOST_HOLDERS, realTimeMs);
  const ofAllNetworks = minuteCounts(MOST_TEXTS, realTimeMs);
  const ofKnown = minuteCounts(MOST_HOLDERS, realTimeMs);
  /** By text, then by holder. */
  const leftOut = new Map<string, Map<string, number>>();
  let timer: NodeJS.Timeout | undefined;

  const isTold = ({ text, facts, known }: Line): boolean => {
    if (known !== undefined) return ofKnown(`${text} ${known}`).nth <= LINES.ofKnown;
    // What is left out for one network uses up nothing of what all share.
    if (ofNetwork(`${text} ${networkOf(facts.address)}`).nth > LINES.ofNetwork) return false;
    return ofAllNetworks(text).nth <= LINES.ofAllNetworks;
  };

  const tellLeftOut = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const [text, holders] of leftOut) log.warn(summedUp(holders), `more of the same: ${text}`);
    leftOut.clear();
  };

  const leaveOut: LogLines["leaveOut"] = ({ text, facts, known }) => {
    const holders = leftOut.get(text) ?? new Map<string, number>();
    leftOut.set(text, holders);
    const name = known ?? networkOf(facts.address);
    const holder = holders.has(name) || holders.size < MOST_HOLDERS ? name : OTHERS;
    holders.set(holder, (holders.get(holder) ?? 0) + 1);
    timer ??= setTimeout(tellLeftOut, EVERY_MS).unref();
  };

  return {
    tell: (line) => {
      if (isTold(line)) line.log[line.level ?? "info"](line.facts, line.text);
      else leaveOut(line);
    },
    leaveOut,
    close: tellLeftOut,
  };
}

/** How many, of how many, and those that caused most. */
function summedUp(holders: ReadonlyMap<string, number>): object {
  const counts = [...holders].map(([from, lines]) => ({ from, lines }));
  const most = counts.sort((one, other) => other.lines - one.lines).slice(0, MOST_NAMED);
  return { more: counts.reduce((sum, { lines }) => sum + lines, 0), sources: holders.size, most };
}
