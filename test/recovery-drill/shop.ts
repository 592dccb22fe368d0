// The load: a shop that charges and follows up at random, and writes down what it was told. While it sells it repeats nothing; after a recovery
// it repeats its charges with their keys, as a merchant would that had lost the responses.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../simulation/chance.ts";

/** An operation that the shop was told is approved. */
export interface Told {
  readonly transaction: string;
  readonly type: string;
  /** In hundredths. */
  readonly amount: bigint;
  /** When it was asked for. */
  readonly sentMs: number;
  /** When the shop was told. */
  readonly atMs: number;
}

/** A charge that the shop was told is approved, as it was asked for. */
export interface Charged {
  readonly transaction: string;
  readonly path: string;
  readonly body: object;
  readonly key: string;
}

export interface Shop {
  readonly told: readonly Told[];
  readonly charged: readonly Charged[];
  /** Requests without a response, or with one that leaves it open. */
  readonly unanswered: number;
  /** Resolves when what is in flight has ended. */
  close(): Promise<void>;
}

interface Known {
  readonly id: string;
  readonly sale: boolean;
  readonly amount: number;
}

const CLIENTS = 4;
const PAUSE_MS = 30;
const ANSWER_WITHIN_MS = 8_000;
/** Of 100 charges. */
const SLOW_CARDS = 40;
const DECLINED_CARDS = 5;

const CARD = "4111111111111111";
/** The acquirer's host answers it late, so that some are open at any moment. */
const SLOW = "4000000000000689";
const DECLINED = "4000000000000002";

/** @param processors to charge at; those in `slow` know the card of late answers */
export function openShop(
  url: string,
  token: string,
  processors: readonly [string, ...string[]],
  slow: ReadonlySet<string>,
  chance: Chance,
): Shop {
  const told: Told[] = [];
  const charged: Charged[] = [];
  const seen = new Set<string>();
  const known: Known[] = [];
  let [over, unanswered] = [false, 0];
  const ask = async (path: string, body: object, key: string = randomUUID()): Promise<string | undefined> => {
    const sentMs = Date.now();
    try {
      const response = await send(url, token, { path, body, key });
      const text = await response.text();
      if (response.status === 200) return note(text, sentMs);
      if (response.status !== 422) unanswered++;
      // A gateway in recovery mode.
      if (response.status === 503) await sleep(100);
    } catch {
      unanswered++;
    }
    return undefined;
  };
  const note = (text: string, sentMs: number): string | undefined => {
    const { transaction } = JSON.parse(text) as Response;
    for (const { id, event_type: type, success, amount } of transaction.events) {
      if (!success || seen.has(id)) continue;
      seen.add(id);
      told.push({
        transaction: transaction.id,
        type,
        amount: BigInt(amount.replace(".", "")),
        sentMs,
        atMs: Date.now(),
      });
    }
    if (!transaction.events.some(({ success }) => success)) return undefined;
    return transaction.id;
  };
  const charge = async (): Promise<void> => {
    const processor_id = chance.pick(processors);
    const amount = 100 + chance.below(9_900);
    const type = chance.pick(["sale", "sale", "auth"]);
    const drawn = chance.below(100);
    const number =
      drawn < DECLINED_CARDS ? DECLINED : drawn < DECLINED_CARDS + SLOW_CARDS && slow.has(processor_id) ? SLOW : CARD;
    const key = randomUUID();
    const body = {
      ...{ processor_id, amount: money(amount), card_number: number },
      ...{ card_expiry_month: "12", card_expiry_year: "2039", merchant_transaction_id: randomUUID() },
    };
    const id = await ask(`/${type}`, body, key);
    if (id === undefined) return;
    known.push({ id, sale: type === "sale", amount });
    charged.push({ transaction: id, path: `/${type}`, body, key });
  };
  const follow = async ({ id, sale, amount }: Known): Promise<void> => {
    const operation = chance.pick(sale ? ["refund", "void"] : ["capture", "void"]);
    await ask(
      `/${id}/${operation}`,
      operation === "void" ? {} : { amount: money(operation === "capture" ? amount : 1 + chance.below(amount)) },
    );
  };
  const live = async (): Promise<void> => {
    while (!over) {
      const [one] = chance.happens(0.3) ? known.splice(chance.below(Math.max(known.length, 1)), 1) : [];
      await (one === undefined ? charge() : follow(one));
      await sleep(chance.below(PAUSE_MS));
    }
  };
  const lives = Promise.all(Array.from({ length: CLIENTS }, live));
  return {
    told,
    charged,
    get unanswered() {
      return unanswered;
    },
    close: async () => {
      over = true;
      await lives;
    },
  };
}

const send = (url: string, token: string, { path, body, key }: Omit<Charged, "transaction">) =>
  fetch(`${url}/api/transactions${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ ip_address: "203.0.113.7", ...body }),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });

/** Each charge is asked for again with its key. @returns those that were not answered as what they had been, in words */
export async function chargedAgain(
  url: string,
  token: string,
  charges: readonly Charged[],
): Promise<readonly string[]> {
  const found: string[] = [];
  const left = [...charges];
  const repeat = async (): Promise<void> => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const response = await send(url, token, one);
      const text = await response.text();
      const isReplay = response.headers.get("idempotent-replayed") === "true";
      if (!isReplay || (JSON.parse(text) as Response).transaction.id !== one.transaction)
        found.push(`${one.transaction}: ${response.status} ${text.slice(0, 100)}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, repeat));
  return found;
}

interface Response {
  readonly transaction: {
    readonly id: string;
    readonly events: readonly Shown[];
  };
}

interface Shown {
  readonly id: string;
  readonly event_type: string;
  readonly success: boolean;
  readonly amount: string;
}

const money = (hundredths: number): string => (hundredths / 100).toFixed(2);
