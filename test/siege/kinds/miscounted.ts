// Clients that count characters where bytes are meant, and what follows on the same connection; and those that send garbage
// after right requests. What was begun before is answered first.

import { type Attack, type Kind, requestText } from "../attack.ts";
import { order } from "../bodies.ts";

const ANSWERED_WITHIN_MS = 15_000;

export const miscountedBodies: Kind = {
  name: "bodies counted in characters, with more after them",
  merchant: "C",
  meets: ["200", "400"],
  wage: (attack) => attack.every(500, () => miscount(attack)),
};

/** `city=Zürich` is a byte longer than told: the next request begins with the last byte of this one. */
async function miscount(attack: Attack): Promise<void> {
  const mine = order("miscounted");
  const body = new URLSearchParams({
    ...{ amount: "3.56", card_number: "4111111111111111", card_expiry_month: "12", card_expiry_year: "2039" },
    ...{ merchant_transaction_id: mine, processor_id: attack.account.processorId, city: "ZZZ" },
    ip_address: "203.0.113.77",
  })
    .toString()
    .replace("ZZZ", "Zürich");
  const headers = {
    authorization: `Bearer ${attack.token}`,
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(body.length),
  };
  const wire = attack.connect(attack.address(attack.chance.below(20)));
  wire.send(requestText("POST", "/api/transactions/sale", headers, body) + requestText("GET", "/health/live"));
  const ended = await Promise.race([wire.ended.then(() => true), attack.sleep(ANSWERED_WITHIN_MS)]);
  wire.leave();
  if (ended === true && !attack.signal.aborted) await compare(attack, mine, wire.received());
}

/** Whoever is told that nothing was understood charges again. */
async function compare(attack: Attack, mine: string, received: string): Promise<void> {
  const first = received.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length);
  const { status, text } = await attack.ask("GET", `/api/transactions?search[merchant_transaction_id]=${mine}`);
  if (status !== 200) return;
  const charged = (JSON.parse(text) as { meta: { total: number } }).meta.total;
  if (charged > 0 && first !== "200") attack.wrong(`charged, and answered ${first || "nothing"}: ${received}`);
  if (charged === 0 && first === "200") attack.wrong(`answered 200, and not on record: ${received}`);
}

export const trailingGarbage: Kind = {
  name: "right requests with garbage after them",
  meets: ["200"],
  mayMeet: ["400"],
  wage: (attack) =>
    attack.every(200, async (nth) => {
      const wire = attack.connect(attack.address(nth));
      wire.send(`${requestText("GET", "/health/live").repeat(5)}\0\x01 this is no request\r\n\r\n`);
      await Promise.race([wire.ended, attack.sleep(ANSWERED_WITHIN_MS)]);
      wire.leave();
      if (attack.signal.aborted) return;
      const statuses = [...wire.received().matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
      if (statuses.slice(0, 5).some((status) => status === "400"))
        attack.wrong(`garbage was answered before the requests: ${statuses.join(" ")}`);
    }),
};
