// Many requests at once under one idempotency key: one of them is carried out.

import { randomUUID } from "node:crypto";
import type { Kind } from "../attack.ts";
import { saleAt } from "../bodies.ts";

const AT_ONCE = 30;

export const oneKey: Kind = {
  name: "thirty requests at once under one idempotency key",
  merchant: "C",
  meets: ["200"],
  mayMeet: ["409"],
  wage: (attack) =>
    attack.every(3_000, async () => {
      const body = saleAt(attack.account.processorId);
      const headers = { "idempotency-key": randomUUID() };
      const one = () => attack.ask("POST", "/api/transactions/sale", { body, headers });
      const replies = await Promise.all(Array.from({ length: AT_ONCE }, one));
      const ids = replies
        .filter(({ status }) => status === 200)
        .map(({ text }) => (JSON.parse(text) as { transaction: { id: string } }).transaction.id);
      if (new Set(ids).size > 1) attack.wrong(`one key made several transactions: ${[...new Set(ids)].join(", ")}`);
    }),
};
