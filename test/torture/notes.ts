// What the clients write down, as a careful merchant's shop would: each request with its idempotency key before it is
// sent, each answer when it is there. Lines are only ever added to the file; what is asked of the notes is kept in memory.

import { closeSync, openSync, writeSync } from "node:fs";

export const OPERATIONS = ["sale", "auth", "capture", "void", "refund", "reversal"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** One operation of a client, under one key, however often it is sent. */
export interface Request {
  readonly key: string;
  readonly operation: Operation;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Sent twice at once, and both repeated until answered. */
  readonly twice: boolean;
  readonly answers: readonly Answer[];
}

export interface Answer {
  /** Which gateway gave it. */
  readonly node: number;
  readonly status: number;
  /** The stored answer of an earlier request with this key. */
  readonly replayed: boolean;
  readonly text: string;
}

export interface Notes {
  readonly requests: readonly Request[];
  /** How often anything was sent. */
  readonly sendings: number;
  begin(request: Omit<Request, "answers">): Request;
  sending(request: Request, node: number): void;
  answered(request: Request, answer: Answer): void;
  close(): void;
}

export function openNotes(file: string): Notes {
  const lines = openSync(file, "a", 0o600);
  const write = (fact: object) => void writeSync(lines, `${JSON.stringify({ at: new Date(), ...fact })}\n`);
  const requests: (Request & { readonly answers: Answer[] })[] = [];
  const byKey = new Map<string, Request & { readonly answers: Answer[] }>();
  let sendings = 0;
  return {
    requests,
    get sendings() {
      return sendings;
    },
    begin: (request) => {
      const noted = { ...request, answers: [] };
      requests.push(noted);
      byKey.set(request.key, noted);
      return noted;
    },
    sending: ({ key, path, body }, node) => {
      sendings++;
      write({ sending: key, node, path, body });
    },
    answered: ({ key }, answer) => {
      byKey.get(key)?.answers.push(answer);
      write({ answered: key, ...answer });
    },
    close: () => closeSync(lines),
  };
}

/**
 * Whether there is nothing to repeat. A 503 that was kept under the key says what became of the operation; any other says
 * that there was none. 408: the gateway gave the connection up before it read the request. 409: it, or another on this transaction, is
 * in flight. 500: nobody knows yet.
 */
export const isFinal = ({ status, replayed }: Answer): boolean =>
  status === 503 ? replayed : status !== 408 && status !== 409 && status !== 500;
