// Passwords are kept as hashes of Argon2id (RFC 9106), made by the OpenSSL that is in Node. Each takes memory and time on
// purpose, so only a few are made at once.

import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from "node:crypto";
import type { Mode } from "../settings.ts";
import { releaseAfterRest } from "../shares/rest.ts";
import { fairTurns, type TurnBounds, takeWithin } from "../shares/turns.ts";

export interface Passwords {
  /**
   * As it is kept, in the form of PHC strings: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
   * @param holder whose turn it is: a person, or a merchant whose admin it is
   * @throws ShareUsedUp if too many wait
   */
  hash(password: string, holder: string): Promise<string>;
  /** In place of a hash: no password is right. */
  none(): string;
  /**
   * Takes as long if nothing is kept, and says no then.
   * @throws ShareUsedUp if too many wait
   */
  matches(password: string, kept: string | undefined, whose: Asker): Promise<boolean>;
}

export interface Asker {
  /** Whose turn it is: a network, or a person who is signed in. */
  readonly holder: string;
  /** Is signed in, or was on the same device before: waits for no stranger. */
  readonly known: boolean;
}

interface Cost {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
}

// OWASP, Password Storage Cheat Sheet: 19 MiB and two passes. The sandbox's passwords stand in its own file.
const COSTS: Readonly<Record<Mode, Cost>> = {
  live: { memory: 19_456, passes: 2 },
  sandbox: { memory: 1_024, passes: 1 },
};
const PARALLELISM = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Of those who are known, and of strangers: so memory is bounded. Of all workers together so many wait. */
const AT_ONCE = 1;
const MOST_WAITING = 200;
const WAIT_MS = 5_000;
/** After each, as many times as long as it took: whoever guesses leaves the processor to payments. */
const REST_TIMES = 3;

/**
 * What hashes and checks them, at the cost of the mode.
 * @param workers that share the machine, each with passwords of its own
 */
export function passwords(mode: Mode, workers = 1): Passwords {
  const mostWaiting = Math.max(1, Math.floor(MOST_WAITING / workers));
  const bounds: TurnBounds = {
    ...{ atOnce: AT_ONCE, mostOfOne: 1 },
    ...{ mostWaiting, mostWaitingOfOne: Math.min(20, mostWaiting) },
  };
  const [ofKnown, ofStrangers] = [fairTurns(bounds), fairTurns(bounds)];
  const cost = COSTS[mode];
  const inTurn = async <T>({ holder, known }: Asker, work: () => Promise<T>): Promise<T> => {
    const release = await takeWithin(known ? ofKnown : ofStrangers, holder, WAIT_MS);
    const sinceMs = performance.now();
    try {
      return await work();
    } finally {
      releaseAfterRest(release, sinceMs, REST_TIMES);
    }
  };
  const nobodys = { cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  return {
    hash: (password, holder) =>
      inTurn({ holder, known: true }, async () => {
        const salt = randomBytes(SALT_BYTES);
        return written({ cost, salt, hash: await derived(password, cost, salt) });
      }),
    none: () => written({ cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) }),
    matches: (password, kept, whose) =>
      inTurn(whose, async () => {
        const { cost, salt, hash } = kept === undefined ? nobodys : read(kept);
        return timingSafeEqual(await derived(password, cost, salt), hash) && kept !== undefined;
      }),
  };
}

interface Kept {
  readonly cost: Cost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const base64 = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

const written = ({ cost: { memory, passes }, salt, hash }: Kept): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${PARALLELISM}$${base64(salt)}$${base64(hash)}`;

const WRITTEN = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{43})$/;

function read(kept: string): Kept {
  const [, memory, passes, salt = "", hash = ""] = WRITTEN.exec(kept) ?? [];
  if (memory === undefined) throw new Error("broken record: a password's hash has another form");
  const cost = { memory: Number(memory), passes: Number(passes) };
  return { cost, salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") };
}

/** The same characters are the same password, however a keyboard composes them (NIST SP 800-63B, 3.1.1.2). */
function derived(password: string, { memory, passes }: Cost, nonce: Buffer): Promise<Buffer> {
  const message = password.normalize("NFKC");
  const wanted: Argon2Parameters = { message, nonce, parallelism: PARALLELISM, tagLength: HASH_BYTES, memory, passes };
  return new Promise((resolve, reject) =>
    argon2("argon2id", wanted, (fault, hash) => (fault ? reject(fault) : resolve(hash))),
  );
}
