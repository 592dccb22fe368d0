// Requests in masses: guessed tokens, paths that are not there, the documentation, and a client that does not hear that it
// is over its limit.

import { mintSecret } from "../../../src/merchants/token-secret.ts";
import type { Kind } from "../attack.ts";
import { saleAt } from "../bodies.ts";

export const guessedTokens: Kind = {
  name: "guessed tokens",
  meets: ["401"],
  mayMeet: ["429"],
  wage: (attack) =>
    attack.every(50, async (nth) => {
      // With the checksum of a real one, which anybody can work out: so it is looked up.
      const guess = mintSecret(nth % 3 === 0 ? "operator" : "test").secret;
      const path = nth % 3 === 0 ? "/operator/merchants" : "/api/transactions";
      await attack.ask("GET", path, { from: attack.address(nth % 3), token: guess });
    }),
};

export const unknownPaths: Kind = {
  name: "paths that are not there",
  meets: ["404"],
  wage: (attack) =>
    attack.every(20, async (nth) => {
      await attack.ask("GET", `/wp-admin/${nth}.php?${"a=1&".repeat(100)}`, { from: attack.address(nth % 10) });
    }),
};

const PAGES = ["/docs", "/docs/redoc.js", "/docs/merchant.json", "/openapi.json"] as const;

export const documentation: Kind = {
  name: "the documentation, again and again",
  meets: ["200"],
  wage: (attack) =>
    attack.every(100, async (nth) => {
      await attack.ask("GET", attack.chance.pick(PAGES), { from: attack.address(nth % 4) });
    }),
};

export const overTheLimit: Kind = {
  name: "a client that does not hear that it is over its limit",
  merchant: "C",
  // On a slow machine it would stay within the default.
  perMinute: 500,
  meets: ["429"],
  mayMeet: ["200"],
  // Many clients rather than one with a timer: in a process that other attacks keep busy it would stay within the limit.
  wage: (attack) =>
    attack.crowd(24, async () => {
      await attack.ask("POST", "/api/transactions/sale", { body: saleAt(attack.account.processorId) });
    }),
};
