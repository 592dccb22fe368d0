// Exports with nobody there: asked for by HEAD, or left after the first bytes; and the rows of megabytes that they carry.

import { type Attack, type Kind, requestText } from "../attack.ts";
import { largeSale, MEGABYTE } from "../bodies.ts";

const EXPORT = "/api/transactions?format=csv";
const authorized = (token: string) => ({ authorization: `Bearer ${token}` });

export const largeSales: Kind = {
  name: "sales with a megabyte of meta",
  merchant: "A",
  meets: ["200"],
  wage: (attack) => {
    const note = "word ".repeat(MEGABYTE / 5);
    return attack.every(2_000, async () => {
      await attack.ask("POST", "/api/transactions/sale", { body: largeSale(attack.account.processorId, note) });
    });
  },
};

export const headsOfExports: Kind = {
  name: "exports asked for by HEAD, fifty at once",
  merchant: "B",
  meets: ["200", "429", "503"],
  wage: (attack) =>
    attack.every(5_000, async () => {
      const all = Array.from({ length: 50 }, () => headOf(attack));
      await Promise.all(all);
    }),
};

async function headOf(attack: Attack): Promise<void> {
  const wire = attack.connect(attack.address(attack.chance.below(50)));
  wire.send(requestText("HEAD", EXPORT, authorized(attack.token)));
  await attack.sleep(2_000);
  wire.leave();
}

export const leftExports: Kind = {
  name: "exports whose readers leave",
  merchant: "B",
  meets: ["200", "429", "503"],
  wage: (attack) =>
    attack.crowd(20, async (nth) => {
      const wire = attack.connect(attack.address(nth));
      wire.send(requestText("GET", EXPORT, authorized(attack.token)));
      await Promise.race([new Promise((first) => wire.socket.once("data", first)), wire.ended, attack.sleep(10_000)]);
      wire.leave();
      await attack.sleep(500);
    }),
};
