// The load: careful clients that charge, capture, void, refund and reverse, sometimes several of them on the same
// transaction at once, and that repeat under the same key what was not answered for good, on whichever gateway is there.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../simulation/chance.ts";
import type { CardsOnFile } from "./cards-on-file.ts";
import type { House } from "./house.ts";
import { type Answer, isFinal, type Notes, type Operation, type Request } from "./notes.ts";

const CLIENTS = 8;
const PAUSE_MS = 25;
const AGAIN_AFTER_MS = 120;
/** A gateway that is paused answers nobody. */
const ANSWER_WITHIN_MS = 6_000;
/** Of charges that are followed up; older ones are left as they are. */
const KNOWN = 60;

const APPROVED = "4111111111111111";
const CARDS: readonly [string, ...string[]] = [
  APPROVED,
  ...Array<string>(20).fill(APPROVED),
  "4000000000000002", // declined
  "4000000000000408", // never answered
  "4000000000000689", // answered late
  "4000000000000341", // its captures are declined
  "4000000000005126", // its refunds are declined
];
const FOLLOW_UPS = ["capture", "capture", "void", "refund", "reversal", "reversal"] as const;
const CHARGES = ["sale", "auth"] as const;

export interface Clients {
  /** No new operations; resolves when all that were begun are answered, or the clients have lost their patience. */
  finish(patienceMs: number): Promise<void>;
}

interface Known {
  readonly id: string;
  /** In hundredths. */
  readonly amount: number;
}

export function startClients(
  house: House,
  notes: Notes,
  known: Known[],
  cards: CardsOnFile,
  chance: Chance,
  howMany: number = CLIENTS,
): Clients {
  let over = false;
  let deadline = Number.POSITIVE_INFINITY;
  const carryOut = async (operation: Operation, path: string, body: Request["body"], key = randomUUID()) => {
    const twice = chance.happens(0.1);
    const request = notes.begin({ key, operation, path: `/api/transactions${path}`, body, twice });
    await Promise.all([untilAnswered(request), ...(twice ? [untilAnswered(request)] : [])]);
    return request;
  };

  const charge = async (): Promise<void> => {
    const amount = 100 + chance.below(9_900);
    const operation = chance.pick<Operation>(CHARGES);
    const { atHost, atProviders, simulator } = house.records;
    // None: one of them is drawn, and if it is out of reach the next.
    const processor_id = chance.pick([
      ...atHost,
      ...atHost,
      "",
      "",
      "",
      simulator,
      ...twice(Object.values(atProviders)),
    ] as const);
    const key = randomUUID();
    const onFile = chance.happens(0.3) ? cards.pick(chance) : undefined;
    if (onFile !== undefined) cards.named(onFile, key);
    const body = {
      ...{ amount: money(amount), merchant_transaction_id: key, ip_address: IP },
      ...(onFile === undefined
        ? { ...cardOf(chance), ...(processor_id && { processor_id }) }
        : // Some can be charged at one processor only.
          { card_id: onFile.id }),
    };
    const approved = approvedIn(await carryOut(operation, `/${operation}`, body, key));
    if (approved !== undefined) known.push({ id: approved.id, amount });
    if (approved?.card_id && onFile === undefined) cards.stored(approved.card_id);
    if (known.length > KNOWN) known.shift();
  };

  const follow = async ({ id, amount }: Known): Promise<void> => {
    const operation = chance.pick<Operation>(FOLLOW_UPS);
    const part = chance.happens(0.5) && operation !== "reversal" ? { amount: money(1 + chance.below(amount)) } : {};
    await carryOut(operation, `/${id}/${operation}`, { ip_address: IP, ...part });
  };

  /** Under the same key, now here, now there. */
  const untilAnswered = async (request: Request): Promise<void> => {
    for (let node = chance.below(2); Date.now() < deadline; node = chance.below(2)) {
      notes.sending(request, node);
      const answer = await send(house, request, node);
      if (answer !== undefined) {
        notes.answered(request, answer);
        if (isFinal(answer)) return;
      }
      await sleep(AGAIN_AFTER_MS);
    }
  };

  const live = async (): Promise<void> => {
    while (!over) {
      const one = known[chance.below(known.length)];
      if (chance.happens(0.06)) await cards.change(house, chance, chance.pick(CARDS));
      else if (one === undefined || chance.happens(0.5)) await charge();
      else await Promise.all(Array.from({ length: chance.pick([1, 1, 1, 2, 3]) }, () => follow(one)));
      await sleep(chance.below(PAUSE_MS));
    }
  };

  const lives = Promise.all(Array.from({ length: howMany }, live));
  return {
    finish: async (patienceMs) => {
      over = true;
      deadline = Date.now() + patienceMs;
      await lives;
    },
  };
}

const cardOf = (chance: Chance) => ({
  ...{ card_number: chance.pick(CARDS), card_expiry_month: "12", card_expiry_year: "2039" },
  ...(chance.happens(0.1) && { store_card: true }),
});

const twice = <T>(all: readonly T[]): readonly T[] => [...all, ...all];
const IP = "203.0.113.7";
const money = (hundredths: number): string => (hundredths / 100).toFixed(2);

async function send({ gateways, apiToken }: House, request: Request, node: number): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${gateways[node]?.url}${request.path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiToken}`,
        "content-type": "application/json",
        "idempotency-key": request.key,
      },
      body: JSON.stringify(request.body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const replayed = response.headers.get("idempotent-replayed") === "true";
    return { node, status: response.status, replayed, text: await response.text() };
  } catch {
    return undefined; // refused, broken off, or silent for too long
  }
}

interface Approved {
  readonly id: string;
  readonly card_id?: string | null;
}

function approvedIn({ answers }: Request): Approved | undefined {
  const done = answers.find(({ status }) => status === 200);
  if (done === undefined) return undefined;
  const { transaction } = JSON.parse(done.text) as { transaction: Approved & { events: { success: boolean }[] } };
  return transaction.events[0]?.success ? transaction : undefined;
}
