// Clients that ask for much and do not read it.

import { type Attack, type Kind, requestText } from "../attack.ts";

/** As many as one connection may, and as many as it may not. */
const PIPELINED = [20, 99] as const;
const UNREAD_MS = 20_000;
const GLANCE_MS = 300;

/** A single address would be refused more connections than one client needs. */
const CLIENTS_AN_ADDRESS = 10;

async function leaveUnread(attack: Attack, nth: number, requests: string, unreadMs = UNREAD_MS): Promise<void> {
  const wire = attack.connect(attack.address(Math.floor(nth / CLIENTS_AN_ADDRESS)));
  wire.socket.pause();
  wire.send(requests);
  await attack.sleep(unreadMs);
  await wire.glance(GLANCE_MS);
  wire.leave();
}

export const unreadDocuments: Kind = {
  name: "documents asked for by the hundred and not read",
  meets: ["200"],
  wage: (attack) =>
    attack.crowd(130, (nth) =>
      leaveUnread(attack, nth, requestText("GET", "/openapi.json").repeat(PIPELINED[nth % 2] ?? 0)),
    ),
};

const LIST = "/api/transactions?search[merchant_transaction_id]=large";

export const unreadPages: Kind = {
  name: "list pages of fifty megabytes that are not read",
  merchant: "A",
  meets: ["200", "429", "503"],
  wage: (attack) =>
    attack.crowd(30, (nth) =>
      leaveUnread(attack, nth, requestText("GET", LIST, { authorization: `Bearer ${attack.token}` }).repeat(2)),
    ),
};

export const unreadExports: Kind = {
  name: "sixty exports at once that are not read",
  merchant: "A",
  meets: ["200", "429", "503"],
  wage: (attack) =>
    attack.crowd(60, (nth) =>
      leaveUnread(
        attack,
        nth,
        requestText("GET", "/api/transactions?format=csv", { authorization: `Bearer ${attack.token}` }),
      ),
    ),
};

/** One byte a second, from a file of the documentation of a megabyte. */
export const byteByByte: Kind = {
  name: "readers of a byte a second",
  meets: ["200"],
  wage: (attack) =>
    attack.crowd(50, async (nth) => {
      const wire = attack.connect(attack.address(nth));
      wire.send(requestText("GET", "/docs/redoc.js"));
      wire.socket.once("data", () => wire.socket.pause());
      for (let seconds = 0; seconds < 30 && !attack.signal.aborted && !wire.socket.destroyed; seconds++) {
        await attack.sleep(1_000);
        wire.socket.read(1);
      }
      wire.leave();
    }),
};
