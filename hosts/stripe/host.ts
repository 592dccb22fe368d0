// Stripe's API as a host of one's own, as far as the gateway uses it: with books on disk, webhooks, and misbehaviour on demand. It is
// written from Stripe's public documentation, and knows nothing of the gateway's code.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Choice } from "../challenge-page.ts";
import { type Answer, chargeOfPayment, disputeBody, fault, refundBody } from "./answer.ts";
import { serveChallenge } from "./challenge.ts";
import { type Disputing, disputed } from "./disputes.ts";
import { chargeEvent, eventsSince, paymentEvent, refundEvent, type StripeEvent } from "./events.ts";
import { fieldsOf } from "./form.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { Misbehaviour, type Rule } from "./misbehaviour.ts";
import { newId } from "./new-id.ts";
import { failed, taken } from "./payments.ts";
import { ended } from "./refunds.ts";
import { type Account, type ByItself, operationOf, type Request, Service } from "./service.ts";
import type { Dispute, Payment, Refund } from "./state.ts";
import { type Endpoint, Webhooks } from "./webhooks.ts";

export interface HostOptions {
  readonly folder: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly secretKey: string;
  readonly endpoint: Endpoint | null;
  readonly crash: () => void;
}

export interface Host {
  readonly port: number;
  readonly ledger: Ledger;
  /** What Stripe's support and dashboard could change. */
  readonly account: Account;
  readonly webhooks: Webhooks;
  /** As the payer does at the page of a challenge, without coming back. */
  choose(transaction: string, choice: Choice): void;
  misbehave(rule: Rule): void;
  /** Resolves once what was delayed is carried out. */
  behave(): Promise<void>;
  /** What was accepted under this reference of the gateway's has its end. */
  end(reference: string, how: "approved" | "declined"): void;
  /** An operation of ours as the event about it has it. */
  eventOf(reference: string, tells: "approved" | "declined"): StripeEvent;
  /** All that was accepted succeeds. */
  endAll(): void;
  /** As after a day: a request that was answered by a 500 is carried out when it comes again under its key. */
  forgetErrors(): void;
  /** Tells again of all that was made since. Resolves when it has arrived. */
  redeliver(since: Date): Promise<void>;
  /** A step in the dispute of a transaction of the gateway's, told by webhook; the first opens it. @returns it as it is now */
  dispute(transaction: string, step: Disputing): Dispute;
  /**
   * What somebody does to a transaction of the gateway's in the dashboard, or Stripe by itself, told by webhook.
   * @param amount in Stripe's units
   */
  byItself(transaction: string, does: ByItself, amount?: number): void;
  /** Pays out all that was not paid out yet. @returns its id */
  payOut(currency: string): string;
  stop(): Promise<void>;
}

export async function startHost(options: HostOptions): Promise<Host> {
  const ledger = await openLedger(options.folder);
  const misbehaviour = new Misbehaviour();
  const webhooks = new Webhooks(options.endpoint, misbehaviour, () => ledger.flushed());
  const account: Account = {
    secretKey: options.secretKey,
    takesCardNumbers: true,
    chargesEnabled: true,
    keysKept: true,
  };
  const timers = new Set<NodeJS.Timeout>();
  const changes = {
    payment: (payment: Payment, before: Payment | undefined) => {
      const charged = before && !chargeEvent(before) ? chargeEvent(payment) : undefined;
      if (charged) tell(charged);
      if (before) tell(paymentEvent(payment));
    },
    refund: (refund: Refund) => {
      webhooks.tell("refund.created", refundBody(refund));
      asItsCardDoes(refund);
    },
  };
  const tell = ({ type, object }: StripeEvent) => webhooks.tell(type, object);
  const service = new Service(ledger, account, changes);
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(options.port, "127.0.0.1");
  await once(server, "listening");
  service.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** A refund of a card that is told to end later does so a moment after its answer. */
  function asItsCardDoes(refund: Refund): void {
    const conduct = ledger.state.payments.get(refund.payment)?.charge?.refund;
    if (!conduct || refund.releases || refund.status !== (conduct === "fails-later" ? "succeeded" : "pending")) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      const now = ended(refund, conduct === "fails-later" ? "declined" : "approved");
      ledger.refund(now);
      tell(refundEvent(now));
    }, 20);
    timers.add(timer);
  }
  // Those that it was killed before.
  for (const refund of ledger.state.refunds.values()) asItsCardDoes(refund);

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.url?.startsWith("/challenge/"))
      return serveChallenge(incoming, response, (id) => ledger.state.payments.get(id), choose);
    const request = await requestOf(incoming);
    const { path, key } = request;
    const conducts = misbehaviour.at(operationOf(request), key && `${path} ${key}`);
    if (conducts.has("delay")) await misbehaviour.hold(conducts.get("delay")?.ms ?? 0);
    if (conducts.has("drop-before")) return;
    if (conducts.has("disconnect-before")) return void response.destroy();
    if (conducts.has("crash-before")) return options.crash();
    if (conducts.has("too-many")) return send(response, TOO_MANY, false);
    const refused = conducts.get("refuse-repeats");
    if (refused) return send(response, { ...REFUSED, status: refused.status ?? REFUSED.status }, false);
    const begun = service.begin(request);
    if (!("end" in begun)) return send(response, begun, begun.replayed);
    const broken = conducts.has("error-before");
    const answer = broken ? BROKEN : service.carryOut(request, conducts.has("accept"));
    const told = conducts.has("error-after") ? BROKEN : answer;
    begun.end(told);
    await ledger.flushed();
    if (conducts.has("delay-after")) await pause(conducts.get("delay-after")?.ms ?? 0);
    if (conducts.has("drop-after")) return;
    if (conducts.has("crash-after")) return options.crash();
    if (conducts.has("disconnect-after")) return void response.destroy();
    if (conducts.has("half")) return half(response, told);
    if (conducts.has("garbage")) return void response.writeHead(200).end("<html>");
    send(response, told, false);
  }

  async function choose(payment: Payment, choice: Choice): Promise<void> {
    service.choose(payment, choice);
    await ledger.flushed();
  }

  const paymentBy = (reference: string): Payment | undefined =>
    [...ledger.state.payments.values()].find(({ metadata }) => metadata.faregate_reference === reference);
  const refundBy = (reference: string): Refund | undefined =>
    [...ledger.state.refunds.values()].find(({ metadata }) => metadata.faregate_reference === reference);

  return {
    port: (server.address() as AddressInfo).port,
    ledger,
    account,
    webhooks,
    choose: (transaction, choice) => {
      const payment = [...ledger.state.payments.values()].find(
        ({ metadata }) => metadata.faregate_transaction === transaction,
      );
      if (payment === undefined) throw new TypeError(`the host knows no transaction ${transaction}`);
      service.choose(payment, choice);
    },
    misbehave: (rule) => misbehaviour.add(rule),
    behave: () => misbehaviour.clear(),
    end: (reference, how) => {
      const [payment, refund] = [paymentBy(reference), refundBy(reference)];
      if (payment) ledger.payment(how === "approved" ? taken(payment) : failed(payment, GENERIC_DECLINE));
      else if (refund) ledger.refund(ended(refund, how));
      else throw new Error(`the host knows no ${reference}`);
    },
    eventOf: (reference, tells) => {
      const refund = refundBy(reference);
      if (refund) return refundEvent(ended(refund, tells));
      const payment = paymentBy(reference) ?? UNKNOWN_PAYMENT;
      if (tells !== "approved") return paymentEvent(failed(payment, GENERIC_DECLINE));
      const approved = taken(payment);
      return chargeEvent(approved) ?? paymentEvent(approved);
    },
    endAll: () => {
      const { payments, refunds } = ledger.state;
      for (const payment of [...payments.values()].filter(({ status }) => status === "processing"))
        ledger.payment(taken(payment));
      for (const refund of [...refunds.values()].filter(({ status }) => status === "pending"))
        ledger.refund(ended(refund, "approved"));
    },
    forgetErrors: () => ledger.state.forgetErrors(),
    redeliver: async (since) => {
      for (const event of eventsSince(ledger.state, since)) tell(event);
      await webhooks.arrived();
    },
    dispute: (transaction, step) => {
      const { state } = ledger;
      const payment = [...state.payments.values()].find(
        ({ metadata }) => metadata.faregate_transaction === transaction,
      );
      if (payment === undefined) throw new TypeError(`the host knows no transaction ${transaction}`);
      const before = [...state.disputes.values()].find((one) => one.payment === payment.id);
      const { dispute, events } = disputed(payment, before, step, new Date());
      ledger.dispute(dispute);
      for (const { type, as } of events) webhooks.tell(type, disputeBody(as, payment.charge?.id ?? "ch_unknown"));
      return dispute;
    },
    byItself: (transaction, does, amount) => {
      const payment = [...ledger.state.payments.values()].find(
        ({ metadata, charge }) => metadata.faregate_transaction === transaction && charge !== null,
      );
      if (payment === undefined) throw new TypeError(`the host knows no transaction ${transaction}`);
      const { status, body } = service.byItself(payment, does, amount);
      if (status !== 200) throw new TypeError(JSON.stringify(body));
      const expired = { ...payment, capturable: 0, status: "canceled" } as const;
      if (does === "expire" && payment.charge)
        webhooks.tell("charge.expired", { ...chargeOfPayment(expired, payment.charge), status: "failed" });
    },
    payOut: (currency) => {
      const id = newId("po");
      ledger.payout({ id, currency });
      return id;
    },
    stop: async () => {
      for (const timer of timers) clearTimeout(timer);
      await webhooks.close();
      server.close();
      server.closeAllConnections();
      await ledger.close();
    },
  };
}

const GENERIC_DECLINE = { code: "card_declined", decline_code: "generic_decline", message: "Your card was declined." };

const UNKNOWN_PAYMENT: Payment = {
  id: "pi_unknown",
  created: 0,
  amount: 100,
  currency: "usd",
  manual: false,
  description: null,
  suffix: null,
  metadata: {},
  status: "requires_payment_method",
  capturable: 0,
  received: 0,
  multicapture: false,
  canceledFor: null,
  charge: null,
  error: null,
};

const TOO_MANY = fault(429, "invalid_request_error", "rate_limit", "Request rate limit exceeded.");
const BROKEN: Answer = { ...fault(500, "api_error", undefined, "An unknown error occurred"), kept: true };
const REFUSED = fault(400, "invalid_request_error", "blocked", "Something on the way refuses this.");
const LONGEST_BODY = 65_536;

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8")) {
    text += chunk;
    if (text.length > LONGEST_BODY) throw new Error("the body is too long");
  }
  const { pathname, search } = new URL(incoming.url ?? "/", "http://host");
  const asked = incoming.method === "GET" ? search.slice(1) : text;
  const header = (name: string) => {
    const value = incoming.headers[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    method: incoming.method ?? "",
    path: pathname,
    fields: fieldsOf(asked),
    text: asked,
    key: header("idempotency-key"),
    authorization: header("authorization"),
    version: header("stripe-version"),
  };
}

function send(response: ServerResponse, { status, body }: Answer, replayed: boolean): void {
  const headers = { "content-type": "application/json", ...(replayed && { "idempotent-replayed": "true" }) };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

function half(response: ServerResponse, { status, body }: Answer): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}
