// Card numbers in odd forms where none belongs.

import type { Kind } from "../attack.ts";
import { saleAt } from "../bodies.ts";

const FORMS = [
  "4111.1111.1111.1111",
  "4111_1111_1111_1111",
  "4111/1111/1111/1111",
  "4111,1111,1111,1111",
  "4111\u22121111\u22121111\u22121111",
  "41111111111111111239",
  "4111    1111    1111    1111",
  "+4111111111111111",
  "4111 1111 1111 1111",
] as const;

export const oddCards: Kind = {
  name: "card numbers in odd forms where none belongs",
  merchant: "C",
  meets: ["422"],
  mayMeet: ["200"],
  wage: (attack) =>
    attack.every(200, async () => {
      const note = attack.chance.pick(FORMS);
      const over = attack.chance.happens(0.5) ? { first_name: note } : { meta: { [`note ${note.length}`]: [note] } };
      await attack.ask("POST", "/api/transactions/sale", { body: saleAt(attack.account.processorId, over) });
    }),
};
