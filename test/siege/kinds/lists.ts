// Lists that cost much, polling at the rate limit, and ids that nobody has.

import { randomUUID } from "node:crypto";
import type { Attack, Kind } from "../attack.ts";

const COSTLY = [
  "search[first_name]=J&page=20",
  "search[last_name]=D&search[city]=Los&search[created_at_gte]=2020-01-01 00:00:00&page=15",
  "search[updated_at_gte]=2020-01-01 00:00:00&page=1000",
  "search[email]=jane&search[merchant_transaction_id]=s",
  "search[zip]=95030&page=2",
  "search[card_number]=411111********&page=60",
] as const;

const MATCHES = ["200", "429", "503"];

export const costlyLists: Kind = {
  name: "lists with filters over everything, deep pages",
  merchant: "B",
  meets: MATCHES,
  wage: (attack) =>
    attack.crowd(20, async (nth) => {
      const query = encodeURI(attack.chance.pick(COSTLY));
      await attack.ask("GET", `/api/transactions?${query}`, { from: attack.address(nth) });
      await attack.sleep(1_000);
    }),
};

/** Each answer is to its own question: a list by an id's order number has no other. */
export const polledLists: Kind = {
  name: "lists polled at the rate limit",
  merchant: "C",
  meets: ["200"],
  wage: (attack) => attack.every(60, () => poll(attack)),
};

async function poll(attack: Attack): Promise<void> {
  const page = 1 + attack.chance.below(3);
  const { status, text } = await attack.ask("GET", `/api/transactions?page=${page}`);
  if (status !== 200) {
    if (status >= 500 && status !== 503) attack.wrong(`a list was answered ${status}: ${text}`);
    return;
  }
  const { meta, transactions } = JSON.parse(text) as {
    meta: { current_page: number; total: number };
    transactions: { user_id: string }[];
  };
  const others = transactions.filter(({ user_id }) => user_id !== attack.account.userId);
  if (meta.current_page !== page || others.length > 0 || (meta.total > 150 && transactions.length !== 50))
    attack.wrong(`page ${page}: ${text.slice(0, 300)}`);
}

export const unknownIds: Kind = {
  name: "look-ups of ids that nobody has, and of those that are there",
  merchant: "D",
  meets: ["200", "404"],
  wage: (attack) =>
    attack.every(100, async (nth) => {
      const [first = "", ...others] = attack.account.known;
      const there = nth % 2 === 0;
      const id = there ? attack.chance.pick([first, ...others]) : randomUUID();
      const { status, text } = await attack.ask("GET", `/api/transactions/${id}`);
      if (there && (status === 404 || status === 401 || status === 500 || (status === 200 && !text.includes(id))))
        attack.wrong(`${id} was answered ${status}: ${text}`);
      if (!there && status === 200) attack.wrong(`${id} is nobody's, and was answered ${text}`);
    }),
};
