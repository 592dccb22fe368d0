// Webhook endpoints that accept and never answer, or whose names nobody knows: sixty-four of them, told of sales all the time.

import { type AddressInfo, createServer, type Socket } from "node:net";
import type { Attack, Kind } from "../attack.ts";
import { saleAt } from "../bodies.ts";
import { MERCHANTS, type MerchantName } from "../ground.ts";

/** As many as a merchant may have. */
const ENDPOINTS = 16;
/** Of those, endpoints of names that do not exist. */
const UNKNOWN_NAMES = 4;

export const silentEndpoints: Kind = {
  name: "webhook endpoints that accept and never answer",
  merchant: "D",
  meets: ["webhook taken and not answered"],
  mayMeet: ["201", "200"],
  wage: async (attack) => {
    const port = await silence(attack);
    await Promise.all(MERCHANTS.map((name) => register(attack, name, port)));
    await attack.every(500, async () => {
      await attack.ask("POST", "/api/transactions/sale", { body: saleAt(attack.account.processorId) });
    });
  },
};

async function register(attack: Attack, name: MerchantName, port: number): Promise<void> {
  const path = `/operator/merchants/${attack.ground.merchants[name].merchantId}/webhooks`;
  for (let nth = 0; nth < ENDPOINTS; nth++) {
    const host = nth < UNKNOWN_NAMES ? `nobody-${nth}.invalid` : "127.0.0.1";
    const body = { url: `http://${host}:${port}/${name}/${nth}` };
    await attack.ask("POST", path, { token: attack.ground.operatorToken, body });
  }
}

function silence(attack: Attack): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
    socket.once("data", () => attack.count("webhook taken and not answered"));
  });
  attack.signal.addEventListener("abort", () => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)));
}
