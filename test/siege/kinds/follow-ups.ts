// Much that follows on one transaction: one refund of a cent after the other under a key of its own, and many operations at
// once of which only some may be granted.

import { randomUUID } from "node:crypto";
import type { Attack, Kind } from "../attack.ts";
import { saleAt } from "../bodies.ts";

interface Event {
  readonly type: string;
  readonly amount: string;
  readonly success: boolean;
}

async function charged(attack: Attack, type: "sale" | "auth", amount: string): Promise<string | undefined> {
  const body = saleAt(attack.account.processorId, { amount });
  const { status, text } = await attack.ask("POST", `/api/transactions/${type}`, { body });
  return status === 200 ? (JSON.parse(text) as { transaction: { id: string } }).transaction.id : undefined;
}

/** What was refused, except for being asked at a bad moment, is refused for good: on to the next transaction. */
const REFUSED_FOR_GOOD = 422;

export const smallRefunds: Kind = {
  name: "refunds of a cent by the thousand",
  merchant: "D",
  meets: ["200"],
  mayMeet: ["202", "409", "422"],
  wage: async (attack) => {
    let id: string | undefined;
    await attack.every(100, async () => {
      if (id === undefined) id = await charged(attack, "sale", "5000.00");
      if (id === undefined) return;
      const of = id;
      const { status } = await attack.ask("POST", `/api/transactions/${of}/refund`, {
        body: { amount: "0.01" },
        headers: { "idempotency-key": randomUUID() },
      });
      if (status === REFUSED_FOR_GOOD && id === of) id = undefined;
    });
  },
};

const AT_ONCE = 30;

export const followUpsAtOnce: Kind = {
  name: "thirty follow-ups at once on one transaction",
  merchant: "D",
  meets: ["200"],
  mayMeet: ["202", "409", "422"],
  wage: (attack) =>
    attack.every(5_000, async () => {
      const id = await charged(attack, "auth", "10.00");
      if (id === undefined) return;
      const kinds = ["capture", "void", "refund"] as const;
      const one = (_: unknown, nth: number) =>
        attack.ask("POST", `/api/transactions/${id}/${kinds[nth % kinds.length]}`, { body: { amount: "3.00" } });
      await Promise.all(Array.from({ length: AT_ONCE }, one));
      await balance(attack, id);
    }),
};

/** No more is captured and voided than was authorized, nor refunded than was captured. */
async function balance(attack: Attack, id: string): Promise<void> {
  const { status, text } = await attack.ask("GET", `/api/transactions/${id}`);
  if (status !== 200) {
    if (status === 404 || status >= 500) attack.wrong(`${id} was answered ${status}: ${text}`);
    return;
  }
  const { events } = (JSON.parse(text) as { transaction: { events: Event[] } }).transaction;
  const sum = (type: string) =>
    events.filter((event) => event.type === type && event.success).reduce((all, { amount }) => all + Number(amount), 0);
  if (sum("capture") + sum("void") > 10.001 || sum("refund") > sum("capture") + 0.001)
    attack.wrong(`${id}: ${JSON.stringify(events)}`);
}
