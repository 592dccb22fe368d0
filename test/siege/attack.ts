// What a kind of hostile client is, and what each is given to work with: addresses of its own, connections, questions, and a
// tally of what it was answered.

import { Agent } from "node:http";
import { setTimeout as sleepFor } from "node:timers/promises";
import { type Chance, chanceFrom } from "../simulation/chance.ts";
import { type Account, addressOf, type Ground, type MerchantName } from "./ground.ts";
import { type Outcome, openWire, type Wire } from "./hostile-wire.ts";
import { type Answered, sendOn } from "./send.ts";

export interface Kind {
  /** In plain words. */
  readonly name: string;
  /** Whose token it has; without one it is a stranger's. */
  readonly merchant?: MerchantName;
  /** Its token's rate limit, if not the default. */
  readonly perMinute?: number;
  /** It was a real attack only if one of these was seen; a status that is in neither list is its own mistake. */
  readonly meets: readonly Outcome[];
  readonly mayMeet?: readonly Outcome[];
  /** Goes on until the attack is over. */
  wage(attack: Attack): Promise<void>;
}

/** However an attack is fended off: these are no mistakes of the attacker. */
export const FENDED_OFF: readonly Outcome[] = [
  ...["connected", "closed", "reset", "refused", "no answer", "408", "429", "503"],
];

export interface Question {
  readonly from?: string;
  readonly token?: string;
  readonly body?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
}
export interface Tally {
  readonly counts: Record<Outcome, number>;
  /** Answers that no client may get, as a few examples tell. */
  readonly wrong: string[];
}

export interface Attack {
  readonly ground: Ground;
  readonly chance: Chance;
  readonly signal: AbortSignal;
  /** Of its merchant; empty for a stranger. */
  readonly token: string;
  /** @throws for a stranger */
  readonly account: Account;
  address(nth: number): string;
  count(outcome: Outcome): void;
  /** An answer that no client may get. */
  wrong(what: string): void;
  /** The attack itself broke. */
  fail(fault: unknown): void;
  connect(from: string): Wire;
  /** One whole request, whose answer is read to its end. */
  ask(method: string, path: string, question?: Question): Promise<Answered>;
  /** Ends early when the attack is over. */
  sleep(ms: number): Promise<void>;
  /** So many clients, each of which does this again and again. */
  crowd(clients: number, life: (nth: number) => Promise<void>): Promise<void>;
  /** Begins one each so many milliseconds, however long those before take. */
  every(ms: number, one: (nth: number) => Promise<void>): Promise<void>;
}

/** Between two lives of a client that is refused at once. */
const PAUSE_MS = 200;
const STAGGER_MS = 20;
const ANSWER_WITHIN_MS = 30_000;
const MOST_AT_ONCE = 256;
const MOST_EXAMPLES = 5;

export function attackOf(kind: Kind, nth: number, ground: Ground, seed: number, signal: AbortSignal) {
  const tally: Tally = { counts: {}, wrong: [] };
  const agents = new Map<string, Agent>();
  const wires = new Set<Wire>();
  const count = (outcome: Outcome) => {
    tally.counts[outcome] = (tally.counts[outcome] ?? 0) + 1;
  };
  signal.addEventListener("abort", () => {
    for (const wire of wires) wire.leave();
    for (const agent of agents.values()) agent.destroy();
  });
  const agentOf = (from: string) => {
    const agent = agents.get(from) ?? new Agent({ keepAlive: true, maxSockets: MOST_AT_ONCE });
    agents.set(from, agent);
    return agent;
  };
  const account = kind.merchant && ground.merchants[kind.merchant];
  const token = account?.tokens[kind.name] ?? "";
  const sleep = (ms: number) => sleepFor(ms, undefined, { signal }).catch(() => undefined);

  const attack: Attack = {
    ground,
    chance: chanceFrom(seed + nth),
    signal,
    token,
    get account() {
      if (account === undefined) throw new Error(`${kind.name} is a stranger's`);
      return account;
    },
    address: (which) => addressOf(nth, which),
    count,
    wrong: (what) => {
      count("WRONG");
      if (tally.wrong.length < MOST_EXAMPLES) tally.wrong.push(what.slice(0, 500));
    },
    fail: (fault) => {
      count("BROKEN");
      tally.wrong.push(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
    },
    connect: (from) => {
      const wire = openWire(ground.port, from, count);
      wires.add(wire);
      wire.ended.then(() => wires.delete(wire));
      if (signal.aborted) wire.leave();
      return wire;
    },
    ask: async (method, path, question = {}) => {
      const { from = addressOf(nth, 0), body, ...rest } = question;
      const sending = { port: ground.port, from, agent: agentOf(from), withinMs: ANSWER_WITHIN_MS, token, ...rest };
      const reply = await sendOn(sending, method, path, body);
      if (!signal.aborted) count(reply.status === 0 ? "no answer" : String(reply.status));
      return reply;
    },
    sleep,
    crowd: async (clients, life) => {
      const live = async (which: number) => {
        await sleep(which * STAGGER_MS);
        while (!signal.aborted) {
          await life(which);
          await sleep(PAUSE_MS);
        }
      };
      await Promise.all(Array.from({ length: clients }, (_, which) => live(which)));
    },
    every: async (ms, one) => {
      const open = new Set<Promise<void>>();
      for (let which = 0; !signal.aborted; which++) {
        if (open.size < MOST_AT_ONCE) {
          const begun = one(which)
            .catch(attack.fail)
            .finally(() => open.delete(begun));
          open.add(begun);
        }
        await sleep(ms);
      }
      await Promise.all(open);
    },
  };
  return { attack, tally };
}

/** A request as text, for connections that are written to by hand. */
export function requestText(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = "") {
  const lines = Object.entries({ host: "gateway", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
