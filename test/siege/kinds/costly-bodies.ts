// Small requests that would cost much: wrong fields by the thousand, card numbers to look for everywhere, nesting, many parts.

import type { Attack, Kind } from "../attack.ts";
import { largeSale, MEGABYTE, saleAt } from "../bodies.ts";

const SALE = "/api/transactions/sale";
/** Eight a second together, well within the rate limit. */
const EVERY_MS = 500;

const body = (
  name: string,
  meets: readonly string[],
  make: (attack: Attack) => string | object,
  type?: string,
): Kind => ({
  name,
  merchant: "B",
  meets,
  mayMeet: ["400", "413", "422"],
  wage: (attack) => {
    const made = make(attack);
    const headers = type === undefined ? {} : { "content-type": type };
    return attack.every(EVERY_MS, async () => {
      await attack.ask("POST", SALE, { body: made, headers });
    });
  },
});

export const emptyPassengers = body("nine thousand passengers without anything", ["422", "413", "400"], (attack) =>
  saleAt(attack.account.processorId, { passenger_transport: Array.from({ length: 9_000 }, () => ({})) }),
);

export const cardsInMeta = body("a megabyte of the beginning of card numbers", ["422", "200"], (attack) =>
  largeSale(attack.account.processorId, "4111 ".repeat(MEGABYTE / 5)),
);

export const wrongFields = body("wrong fields by the thousand", ["422", "413", "400"], (attack) => ({
  ...saleAt(attack.account.processorId),
  ...Object.fromEntries(Array.from({ length: 4_000 }, (_, nth) => [`field_${nth}`, 1])),
  passenger_transport: [{ legs: Array.from({ length: 3_000 }, () => ({ fare: "x" })) }],
}));

export const deepNesting = body("nesting without end", ["400", "413"], () => "[".repeat(60_000));

const PART = '--x\r\ncontent-disposition: form-data; name="a[b]"\r\n\r\n1\r\n';

export const manyParts = body(
  "multipart bodies of ten thousand parts",
  ["400", "413", "422"],
  () => `${PART.repeat(1_000)}--x--\r\n`,
  "multipart/form-data; boundary=x",
);
