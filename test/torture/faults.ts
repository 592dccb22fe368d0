// What is done to the processes and the wire between them, drawn from a seed: a plan says what and when in plain data, so
// that the same seed plans the same. What becomes of it depends on the machine's timing, too.

import { CONDUCTS, type Rule } from "../../acquirer/misbehaviour.ts";
import { OPERATIONS } from "../../acquirer/question.ts";
import { CONDUCTS as ADYEN_CONDUCTS, type Rule as AdyenRule } from "../../hosts/adyen/misbehaviour.ts";
import { CONDUCTS as STRIPE_CONDUCTS, type Rule as StripeRule } from "../../hosts/stripe/misbehaviour.ts";
import type { Chance } from "../simulation/chance.ts";
import { pause, signal } from "./children.ts";
import { type Arming, FAIL_POINTS, type FailPoint } from "./fail-points.ts";
import { type Cast, DEAD_AFTER_MS, type House, TIMEOUT_MS } from "./house.ts";
import type { Way } from "./link.ts";
import type { Provider } from "./providers.ts";

/** 0 or 1. */
type Side = number;

export type Fault =
  | { readonly what: "gateway killed"; readonly node: Side }
  | { readonly what: "both gateways killed" }
  | ({ readonly what: "gateway killed at a step"; readonly node: Side } & Arming)
  | { readonly what: "gateway paused and taken for dead"; readonly node: Side; readonly ms: number }
  | { readonly what: "worker killed"; readonly node: Side; readonly worker: number }
  | {
      readonly what: "worker paused and taken for dead";
      readonly node: Side;
      readonly worker: number;
      readonly ms: number;
    }
  | { readonly what: "database killed" }
  | { readonly what: "database and gateway killed"; readonly node: Side }
  | { readonly what: "host killed" }
  | { readonly what: "host out"; readonly ms: number }
  | { readonly what: "host settles before its time" }
  | { readonly what: "host misbehaves"; readonly rule: Rule }
  | { readonly what: "repeats are declined"; readonly lost: Rule; readonly repeats: Rule }
  | { readonly what: "provider killed"; readonly provider: Provider }
  | { readonly what: "provider misbehaves"; readonly provider: Provider; readonly rule: AdyenRule | StripeRule }
  | {
      readonly what: "provider's repeats are refused";
      readonly provider: Provider;
      readonly lost: AdyenRule | StripeRule;
      readonly repeats: AdyenRule | StripeRule;
    }
  | { readonly what: "provider is asked too late"; readonly provider: Provider; readonly rule: AdyenRule | StripeRule }
  | {
      readonly what: "webhooks disturbed";
      readonly provider: Provider;
      readonly conduct: { readonly times: number; readonly upToMs: number; readonly lost: number };
    }
  | { readonly what: "link cut"; readonly link: Side; readonly way: Way; readonly bytes: number }
  | { readonly what: "link held"; readonly link: Side; readonly ms: number }
  | { readonly what: "link refused"; readonly link: Side; readonly ms: number }
  | { readonly what: "automatic capture due"; readonly record: Side };

export interface Planned {
  readonly afterMs: number;
  readonly fault: Fault;
}

const MOST_AFTER_MS = 700;

/** One fault or several, at instants of their own. */
export function planCycle(chance: Chance, cast: Cast): readonly Planned[] {
  const count = chance.pick([1, 1, 2, 2, 3]);
  return Array.from({ length: count }, () => {
    const [afterMs, fault] = [chance.below(MOST_AFTER_MS), draw(chance, cast)];
    return [fault, ...leadingTo(fault)].map((one) => ({ afterMs, fault: one }));
  }).flat();
}

/** What makes it likely that a step is reached at all. */
function leadingTo(fault: Fault): readonly Fault[] {
  if (fault.what !== "gateway killed at a step") return [];
  switch (fault.point) {
    case "before it is left open":
    case "after it is left open":
    case "before an operation is repeated":
    case "after an operation is repeated":
      return [{ what: "host misbehaves", rule: { what: "drop-after", on: ["capture", "void", "refund"], times: 6 } }];
    case "before a reversal is sent":
    case "after a reversal is confirmed":
      return [{ what: "host misbehaves", rule: { what: "drop-after", on: ["sale", "auth"], times: 6 } }];
    case "before the intent of an automatic capture":
    case "after the intent of an automatic capture":
      return [{ what: "automatic capture due", record: fault.node }];
    case "before the refund of a reversal is written":
    case "between the void and the refund of a reversal":
      return [{ what: "host settles before its time" }]; // so that voids come too late
    case "between two processors":
      return [{ what: "link refused", link: fault.node, ms: 1_000 }];
    case "before a late answer is stored":
      return [{ what: "gateway killed", node: 1 - fault.node }];
    default:
      return [];
  }
}

/** Those that every operation passes. */
const FREQUENT: ReadonlySet<FailPoint> = new Set([
  "before the intent",
  "after the intent",
  "before the trace number",
  "after the trace number",
  "after sending",
  "after the answer",
  "before the outcome",
  "after the outcome, before the client is answered",
]);

function draw(chance: Chance, { providers, workers }: Cast): Fault {
  const [node, link] = [chance.below(2), chance.below(2 + providers.length)];
  const ms = 150 + chance.below(1_200);
  const atStep = (): Fault => {
    const [point, passes] = [chance.pick(FAIL_POINTS), chance.below(6)];
    return { what: "gateway killed at a step", node, point, passes: FREQUENT.has(point) ? passes : 0 };
  };
  const misbehaves = (): Fault => ({ what: "host misbehaves", rule: drawRule(chance) });
  const declinesRepeats = (): Fault => ({
    what: "repeats are declined",
    lost: { what: chance.pick(["drop-before", "drop-after"]), on: [chance.pick(OPERATIONS)], times: 6 },
    repeats: { what: "decline-repeats", code: chance.pick(DECLINED_WITH), times: 1 + chance.below(12) },
  });
  const cut = (): Fault => ({
    ...{ what: "link cut", link, bytes: 1 + chance.below(800) },
    way: chance.pick(["to the host", "from the host"]),
  });
  return chance.pick<() => Fault>([
    atStep,
    ...[atStep, atStep, atStep, atStep, atStep, misbehaves, misbehaves, misbehaves, misbehaves, cut, cut, cut],
    ...[declinesRepeats, declinesRepeats],
    () => ({ what: "gateway killed", node }),
    () => ({ what: "both gateways killed" }),
    () => ({ what: "gateway paused and taken for dead", node, ms: 1_000 + ms }),
    () => ({ what: "database killed" }),
    () => ({ what: "database and gateway killed", node }),
    () => ({ what: "host killed" }),
    () => ({ what: "host settles before its time" }),
    () => ({ what: "host out", ms }),
    () => ({ what: "link held", link, ms }),
    () => ({ what: "link refused", link, ms }),
    () => ({ what: "automatic capture due", record: link }),
    () => ({ what: "automatic capture due", record: link }),
    ...providers.flatMap((provider) => providerFaults(chance, provider)),
    ...(workers > 1 ? workerFaults(chance, workers) : []),
  ])();
}

function workerFaults(chance: Chance, workers: number): readonly (() => Fault)[] {
  const one = () => ({ node: chance.below(2), worker: chance.below(workers) });
  const killed = (): Fault => ({ what: "worker killed", ...one() });
  const ms = () => 1_000 + chance.below(1_200);
  return [killed, killed, killed, () => ({ what: "worker paused and taken for dead", ...one(), ms: ms() })];
}

function providerFaults(chance: Chance, provider: Provider): readonly (() => Fault)[] {
  const misbehaves = (): Fault => ({ what: "provider misbehaves", provider, rule: drawProviderRule(chance, provider) });
  const refusesRepeats = (): Fault => ({
    what: "provider's repeats are refused",
    provider,
    lost: { ...drawLost(chance, provider), times: 6 } as AdyenRule | StripeRule,
    repeats: { what: "refuse-repeats", status: chance.pick(REFUSED_WITH), times: 1 + chance.below(12) },
  });
  return [
    ...[misbehaves, misbehaves, misbehaves, refusesRepeats, refusesRepeats],
    () => ({ what: "provider killed", provider }),
    () => ({ what: "provider is asked too late", provider, rule: drawDelay(chance, provider) }),
    () => ({
      what: "webhooks disturbed",
      provider,
      conduct: { times: 1 + chance.below(3), upToMs: chance.below(1_500), lost: chance.pick([0, 0.1, 0.5, 1]) },
    }),
  ];
}

/** Of requests; webhooks have faults of their own. */
const STRIPE_REQUESTS = STRIPE_CONDUCTS.filter((what) => what !== "lose" && what !== "double" && what !== "late");
const ON = {
  adyen: ["payments", "captures", "cancels", "refunds", "reversals"],
  stripe: ["create", "confirm", "capture", "cancel", "refund", "look"],
} as const;

/** By issuers, switches and hosts; 94 and the like are declined less often than an operator is asked. */
const DECLINED_WITH = ["05", "06", "19", "51", "91", "92", "96", "ZZ"] as const;
/** By Adyen, Stripe, and what lies on the way to them. */
const REFUSED_WITH = [400, 401, 402, 403, 404, 409, 422, 429, 500] as const;

/** It is done or not, and not answered. */
const drawLost = (chance: Chance, provider: Provider) =>
  provider === "adyen"
    ? { what: chance.pick(["silent-before", "silent-after", "disconnect-before", "disconnect-after"]) }
    : { what: chance.pick(["drop-before", "drop-after", "disconnect-before", "disconnect-after", "error-after"]) };

function drawProviderRule(chance: Chance, provider: Provider): AdyenRule | StripeRule {
  const on = chance.happens(0.5) ? { on: [oneOf(chance, ON[provider])] } : {};
  const what = provider === "adyen" ? oneOf(chance, ADYEN_CONDUCTS) : oneOf(chance, STRIPE_REQUESTS);
  const ms = what === "delay" ? { ms: 100 + chance.below(1_500) } : {};
  const times = what.startsWith("crash") ? 1 : 1 + chance.below(12);
  // Only what ends later anyway can be accepted.
  if (what === "accept") return { what, on: ["confirm", "refund"], times };
  return { what, ...on, ...ms, times } as AdyenRule | StripeRule;
}

/** What is overtaken by what is asked because of its silence: a charge by its reversal, a capture or a refund by its repeat. */
const OVERTAKEN: Readonly<Record<Provider, readonly (readonly string[])[]>> = {
  adyen: [["payments"], ["captures"], ["refunds"], ["cancels", "reversals"]],
  stripe: [["create"], ["confirm"], ["capture"], ["refund"], ["cancel"]],
};

function drawDelay(chance: Chance, provider: Provider): AdyenRule | StripeRule {
  const on = oneOf(chance, OVERTAKEN[provider]);
  const ms = TIMEOUT_MS + 50 + chance.below(2_500);
  return { what: "delay", on, ms, times: 1 + chance.below(8) } as AdyenRule | StripeRule;
}

const oneOf = <T>(chance: Chance, all: readonly T[]): T => all[chance.below(all.length)] as T;

/** Some of them go on until the host is told to behave again. */
function drawRule(chance: Chance): Rule {
  const on = chance.happens(0.5) ? { on: [chance.pick(OPERATIONS)] } : {};
  const what = chance.pick(CONDUCTS);
  const ms = what === "delay" ? { ms: 100 + chance.below(1_500) } : {};
  return { what, ...on, ...ms, times: what.startsWith("crash") ? 1 : 1 + chance.below(12) };
}

/** Resolves when it is done; what it does may go on a little. */
export async function inflict(house: House, fault: Fault): Promise<void> {
  const { gateways, host, links } = house;
  switch (fault.what) {
    case "gateway killed":
      return gateways[fault.node]?.kill();
    case "both gateways killed":
      for (const gateway of gateways) gateway.kill();
      return;
    case "gateway killed at a step":
      return gateways[fault.node]?.arm({ point: fault.point, passes: fault.passes });
    case "gateway paused and taken for dead":
      return pauseOf(house, fault, processesOf(house, fault.node));
    case "worker killed":
      for (const pid of workerOf(house, fault)) signal(pid, "SIGKILL");
      return;
    case "worker paused and taken for dead":
      return pauseOf(house, fault, workerOf(house, fault));
    case "database killed":
      return house.killDatabase();
    case "database and gateway killed":
      gateways[fault.node]?.kill();
      return house.killDatabase();
    case "host killed":
      return host.kill();
    case "host out":
      return host.outage(fault.ms);
    case "host settles before its time":
      return host.settle();
    case "host misbehaves":
      return host.misbehave(fault.rule);
    case "repeats are declined":
      await host.misbehave(fault.lost);
      return host.misbehave(fault.repeats);
    case "provider killed":
      return providerOf(house, fault.provider)?.kill();
    case "provider misbehaves":
    case "provider is asked too late":
      return providerOf(house, fault.provider)?.misbehave(fault.rule);
    case "provider's repeats are refused":
      await providerOf(house, fault.provider)?.misbehave(fault.lost);
      return providerOf(house, fault.provider)?.misbehave(fault.repeats);
    case "webhooks disturbed":
      return providerOf(house, fault.provider)?.disturbWebhooks(fault.conduct);
    case "link cut":
      return links[fault.link]?.cut(fault.way, fault.bytes);
    case "link held":
      return links[fault.link]?.hold(fault.ms);
    case "link refused":
      return links[fault.link]?.refuse(fault.ms);
    case "automatic capture due":
      // In whole milliseconds, as the gateway's clock has them: it puts off what is due at the time that it read.
      await house.sql`
        update auto_captures set due_at = date_trunc('milliseconds', now()) where processor_id = ${capturing(house)[fault.record] ?? null}`;
      return;
    default:
      return fault satisfies never;
  }
}

const providerOf = ({ providers }: House, provider: Provider) => providers.find((one) => one.provider === provider);

/** In the order of their links. */
const capturing = ({ records }: House): readonly string[] => [...records.atHost, ...Object.values(records.atProviders)];

/** Until the gateway dies, whose supervisor would end all of its processes: a worker that is paused keeps the port from the next start. */
function pauseOf(
  { gateways }: House,
  { node, ms }: { readonly node: Side; readonly ms: number },
  pids: readonly number[],
) {
  const gateway = gateways[node];
  const pid = gateway?.pid;
  return pause(pids, DEAD_AFTER_MS + ms, () => gateway?.pid !== pid);
}

/** None while it is away. */
function processesOf({ gateways }: House, node: Side): readonly number[] {
  const gateway = gateways[node];
  return gateway?.pid === undefined ? [] : [gateway.pid, ...gateway.workers()];
}

/** None while it is away. */
const workerOf = ({ gateways }: House, { node, worker }: { readonly node: Side; readonly worker: number }) =>
  gateways[node]?.workers().slice(worker, worker + 1) ?? [];
