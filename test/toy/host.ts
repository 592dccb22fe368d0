// The host of the toy processor, a program of its own on loopback: it books what it is asked, ends what it accepted when it
// is told to, and sends signed notifications. It knows nothing of the gateway's code.

import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { SIGNATURE_HEADER, signatureOf } from "./signature.ts";

export type Status = "approved" | "declined" | "pending" | "action_required";

/**
 * `is silent`: books it and never answers. `loses it`: never answers, and books nothing. `declines repeats`: what was asked before, answered
 * or not, is declined as something on the way does it.
 */
export type Conduct =
  | "approves"
  | "declines"
  | "accepts"
  | "challenges"
  | "is silent"
  | "loses it"
  | "declines repeats"
  | "challenges repeats";

export interface Payment {
  readonly reference: string;
  readonly transaction: string;
  readonly type: string;
  readonly amount: number;
  /** Null: made known by its reversal alone. */
  status: Status | null;
  reversed: boolean;
}

/** One message as it is sent; whoever sends it again sends the same. */
export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Told {
  readonly reference: string;
  readonly tells: "approved" | "declined" | "reversed" | "settled" | "chargeback" | "weather" | Made;
  readonly id?: string;
  readonly occurredAt?: Date;
  /** Of what it did by itself. */
  readonly amount?: number;
}

/** What it does to a charge by itself. */
export type Made = "expired" | "canceled" | "captured" | "refunded";

export interface ToyHost {
  readonly url: string;
  readonly secret: string;
  readonly payments: ReadonlyMap<string, Payment>;
  /** What was asked, in words: `capture`, `inquiry`, `reversal`. */
  readonly asked: readonly string[];
  /** How it takes operations of this type, from now on. */
  conduct(type: string, conduct: Conduct): void;
  /** All that is asked is answered so much later. */
  latencyMs: number;
  /** It answers nothing at all. */
  silent: boolean;
  /** The next operation is booked, and the connection ends in place of an answer. */
  breaksOff: boolean;
  /** Reversals are accepted only, and told of later. */
  reversesLater: boolean;
  ofTransaction(transaction: string, type: string): Payment;
  /** Something that it accepted has its end. */
  end(reference: string, status: "approved" | "declined"): void;
  message(told: Told, secret?: string): Message;
  close(): Promise<void>;
}

const STATUS_OF: Readonly<Record<Conduct, Status | null>> = {
  approves: "approved",
  declines: "declined",
  accepts: "pending",
  challenges: "action_required",
  "is silent": "approved",
  "loses it": null,
  "declines repeats": "approved",
  "challenges repeats": "approved",
};

interface Request {
  readonly reference: string;
  readonly transaction: string;
  readonly type: string;
  readonly amount: number;
  readonly card?: string;
}

/** Its charges are declined, by whatever conduct. */
export const DECLINED_CARD = "4000000000000002";

export async function startToyHost(): Promise<ToyHost> {
  const payments = new Map<string, Payment>();
  const conducts = new Map<string, Conduct>();
  const seen = new Set<string>();
  const asked: string[] = [];
  const secret = randomUUID();

  const book = ({ card, ...request }: Request, response: ServerResponse): void => {
    const conduct = conducts.get(request.type) ?? "approves";
    const status = card === DECLINED_CARD ? "declined" : STATUS_OF[conduct];
    const known = payments.get(request.reference);
    const repeated = seen.has(request.reference);
    seen.add(request.reference);
    if (repeated && conduct.endsWith("repeats")) {
      answer(response, { status: conduct === "declines repeats" ? "declined" : "action_required", id: "none" });
      return;
    }
    if (known === undefined && status !== null)
      payments.set(request.reference, { ...request, status, reversed: false });
    if (conduct === "loses it" || conduct === "is silent") return;
    if (host.breaksOff) {
      host.breaksOff = false;
      response.destroy();
      return;
    }
    const payment = payments.get(request.reference);
    // What was taken back before it came is never booked.
    if (payment?.reversed) response.destroy();
    else answer(response, { status: payment?.status, id: request.reference, replayed: known !== undefined });
  };
  const inquire = ({ reference }: Request, response: ServerResponse) => {
    const payment = payments.get(reference);
    answer(response, { status: payment?.status ?? "unknown", id: reference });
  };
  const reverse = (request: Request, response: ServerResponse) => {
    const payment = payments.get(request.reference) ?? { ...request, status: null, reversed: true };
    payment.reversed = true;
    payments.set(request.reference, payment);
    answer(response, { status: host.reversesLater ? "pending" : "reversed", id: request.reference });
  };

  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const body = JSON.parse(text) as Request;
    const path = request.url ?? "";
    asked.push(path === "/payments" ? body.type : path.slice(1));
    await sleep(host.latencyMs);
    if (host.silent) return;
    if (path === "/payments") return book(body, response);
    return path === "/inquiry" ? inquire(body, response) : reverse(body, response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));

  const host: ToyHost = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret,
    payments,
    asked,
    latencyMs: 0,
    silent: false,
    breaksOff: false,
    reversesLater: false,
    conduct: (type, conduct) => void conducts.set(type, conduct),
    ofTransaction: (transaction, type) => {
      const found = [...payments.values()].find((one) => one.transaction === transaction && one.type === type);
      if (found === undefined) throw new Error(`the host knows no ${type} of ${transaction}`);
      return found;
    },
    end: (reference, status) => {
      const payment = payments.get(reference);
      if (payment === undefined) throw new Error(`the host knows no ${reference}`);
      payment.status = status;
    },
    message: ({ reference, tells, id = randomUUID(), occurredAt = new Date(), amount }, key = secret) => {
      const transaction = payments.get(reference)?.transaction ?? randomUUID();
      const told = { id, tells, reference, transaction, occurred_at: occurredAt.toISOString(), amount };
      const body = Buffer.from(JSON.stringify(told));
      return { body, headers: { "content-type": "application/json", [SIGNATURE_HEADER]: signatureOf(key, body) } };
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
  return host;
}

const answer = (response: ServerResponse, body: object) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
