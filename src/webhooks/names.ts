// Looks up names, asking the name servers directly: the system's look-ups share two threads, where two names with silent servers would
// delay even the look-up of the database's host.

import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { forgetOldest } from "../shares/forget-oldest.ts";

/** Of the 15 seconds that a delivery has. */
const DEADLINE_MS = 5_000;
/** Whoever has addresses of one family waits so long for the other (RFC 8305, section 3, says 50 ms and more). */
const OTHER_FAMILY_MS = 250;
/** A server that has not answered is asked again after so long, and another one, if there is one, in its place. */
const EACH_TRY_MS = 1_000;
const TRIES = 3;
/** Of each family; a connection tries them one after the other. */
const MOST_ADDRESSES = 4;
const LONGEST_KEPT_MS = 60_000;
const MOST_KEPT = 1_000;

export interface Names {
  /**
   * The first family is IPv4: a gateway without IPv6 loses no time. One look-up at a time for a name, whoever asks, so there
   * are never more in flight than endpoints being served.
   * @throws NameFault
   */
  find(name: string): Promise<readonly LookupAddress[]>;
}

/** Its message is for the operator. */
export class NameFault extends Error {}

export interface NamesOptions {
  /** Instead of those of the system. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly deadlineMs?: number;
}

interface Found {
  readonly addresses: readonly LookupAddress[];
  readonly keptUntil: number;
}

export function openNames({ servers, hostsFile, deadlineMs = DEADLINE_MS }: NamesOptions = {}): Names {
  const kept = new Map<string, Found>();
  const inFlight = new Map<string, Promise<readonly LookupAddress[]>>();

  const lookUp = async (name: string): Promise<readonly LookupAddress[]> => {
    const here = (await namedInHosts(name, hostsFile)).slice(0, MOST_ADDRESSES);
    if (here.length > 0) return here;
    const found = await ask(name, deadlineMs, servers);
    if (found.keptUntil > performance.now()) keep(kept, name, found);
    return found.addresses;
  };
  return {
    find: async (name) => {
      const known = kept.get(name);
      if (known !== undefined && known.keptUntil > performance.now()) return known.addresses;
      const asked = inFlight.get(name) ?? lookUp(name).finally(() => inFlight.delete(name));
      inFlight.set(name, asked);
      return asked;
    },
  };
}

/** What was found longest ago goes first. */
function keep(kept: Map<string, Found>, name: string, found: Found): void {
  kept.delete(name);
  kept.set(name, found);
  forgetOldest(kept, MOST_KEPT);
}

async function ask(name: string, deadlineMs: number, servers?: readonly string[]): Promise<Found> {
  // One for each look-up, so that what hangs is cancelled by itself.
  const resolver = new Resolver({ timeout: EACH_TRY_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), deadlineMs);
  try {
    const asked = [resolver.resolve4(name, { ttl: true }), resolver.resolve6(name, { ttl: true })];
    const both = Promise.allSettled(asked);
    const one = Promise.any(asked).then(
      () => sleep(OTHER_FAMILY_MS, undefined, { ref: false }),
      () => undefined,
    );
    await Promise.race([both, one]);
    resolver.cancel();
    return foundIn(await both);
  } finally {
    clearTimeout(timer);
  }
}

type Answer = PromiseSettledResult<readonly { readonly address: string; readonly ttl: number }[]>;

function foundIn(answers: readonly Answer[]): Found {
  const records = answers.flatMap((answer, index) =>
    answer.status === "fulfilled"
      ? answer.value.slice(0, MOST_ADDRESSES).map((record) => ({ ...record, family: index === 0 ? 4 : 6 }))
      : [],
  );
  if (records.length === 0) throw new NameFault(whyNot(answers));
  const seconds = Math.min(...records.map(({ ttl }) => ttl));
  return {
    addresses: records.map(({ address, family }) => ({ address, family })),
    keptUntil: performance.now() + Math.min(seconds * 1_000, LONGEST_KEPT_MS),
  };
}

/** No such name, or one without addresses: said only if that is known of both families. */
function whyNot(answers: readonly Answer[]): string {
  const codes = answers.flatMap((answer) => (answer.status === "rejected" ? [String(answer.reason.code)] : []));
  const unknown = codes.find((code) => code !== "ENOTFOUND" && code !== "ENODATA");
  if (unknown === undefined) return "ENOTFOUND";
  if (unknown === "ECANCELLED" || unknown === "ETIMEOUT") return "the name servers of its name did not answer";
  return `its name could not be looked up: ${unknown}`;
}

const LOOPBACK: readonly LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** Read each time, so that a change holds at once: the file is small, and a look-up comes before it is asked for again. */
async function namedInHosts(name: string, file = "/etc/hosts"): Promise<readonly LookupAddress[]> {
  const wanted = name.toLowerCase().replace(/\.$/, "");
  // RFC 6761, section 6.3: never asked of a name server.
  if (wanted === "localhost" || wanted.endsWith(".localhost")) return LOOPBACK;
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => addressIn(line, wanted));
}

/** hosts(5): an address, then its names; a # begins a comment. */
function addressIn(line: string, wanted: string): readonly LookupAddress[] {
  const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
  const family = isIP(address);
  return family !== 0 && names.some((one) => one.toLowerCase() === wanted) ? [{ address, family }] : [];
}
