// Adyen's Checkout API as a host of our own, to test the kind against: it opens its books, answers as Adyen documents it, sends
// webhooks, and stops. It knows nothing of the gateway's code.

import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { BooksFile } from "../../acquirer/books-file.ts";
import { Accounts, type Payment } from "./accounts.ts";
import { Challenges } from "./challenges.ts";
import { accountingReport, receivedReport } from "./daily-reports.ts";
import { decide, firstStored, type Question, type StoredMethod } from "./decide.ts";
import { type Disputing, itemsOfDispute } from "./disputes.ts";
import type { Answer, Effect, Entry, Item } from "./entry.ts";
import { Misbehaviour, type Rule } from "./misbehaviour.ts";
import { settlementReport } from "./settlement.ts";
import { Webhooks } from "./webhooks.ts";

export interface HostOptions {
  readonly folder: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly merchantAccount: string;
  readonly apiKey: string;
  /** 64 hexadecimal digits. */
  readonly hmacKey: string;
  readonly crash: () => void;
  /** Sees each request, for tests. */
  readonly seen?: (question: Question) => void;
}

export interface AdyenHost {
  /** With the version, as a record's `base_url`. */
  readonly baseUrl: string;
  readonly webhooks: Webhooks;
  /** Whether full card numbers are allowed. */
  rawCards: boolean;
  /** Cards that shoppers stored; those that were not there from the start in memory only. */
  readonly stored: Map<string, StoredMethod>;
  misbehave(rule: Rule): void;
  /** Resolves once what was delayed is carried out. */
  behave(): Promise<void>;
  /** What was to be captured later is captured. */
  settle(): Promise<void>;
  /** Closes the batch. @returns its settlement details report, as CSV */
  payOut(): Promise<string>;
  /** Of all that was done so far, as CSV. */
  dailyReports(): { readonly accounting: string; readonly received: string };
  /** In minor units, held or taken, of payments whose reference begins with this. */
  balance(prefix: string): number;
  /** What was told or is to be told by webhook, oldest first. */
  items(): readonly Item[];
  /** Tells again, in no order, what was told since. Resolves when all has arrived. */
  redeliver(since: Date): Promise<void>;
  /** The first whose reference begins with this. */
  payment(prefix: string): Readonly<Payment> | undefined;
  /** Tells something of its own accord, and books what follows from it: a capture or refund of less than nothing failed after all. */
  tell(item: Item, effect?: Effect | null): Promise<void>;
  /** A step in the dispute of a payment whose reference begins with this, told by webhook. */
  dispute(prefix: string, step: Disputing): Promise<readonly Item[]>;
  stop(): Promise<void>;
}

const LONGEST_BODY = 262_144;
const VERSION = "/v72";

export async function startAdyenHost(options: HostOptions): Promise<AdyenHost> {
  await mkdir(options.folder, { recursive: true });
  const accounts = new Accounts();
  const file = await BooksFile.open<Entry>(join(options.folder, "books.log"), (entry) => accounts.apply(entry));
  const misbehaviour = new Misbehaviour();
  const webhooks = new Webhooks(options.hmacKey);
  const inProgress = new Set<string>();
  const challenges = new Challenges();
  const write = (entry: Entry) => {
    accounts.apply(entry);
    return file.append(entry);
  };

  const book = async (question: Question): Promise<Answer> => {
    const at = new Date().toISOString();
    const { merchantAccount } = options;
    const terms = { merchantAccount, rawCards: host.rawCards, stored: host.stored, ...challenges.terms };
    const decision = decide(accounts, question, terms, at);
    const { key } = question;
    // What was not accepted leaves no trace.
    if (decision.answer.status >= 400) return decision.answer;
    await write({ kind: "booked", at, key, ...decision });
    if (decision.item !== null) webhooks.send(decision.item);
    return decision.answer;
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((fault: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(fault));
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith("/challenge/")) return challenges.serve(request, response);
    const question = await questionOf(request);
    options.seen?.(question);
    if (request.headers["x-api-key"] !== options.apiKey) return send(response, UNAUTHORIZED);
    const { key } = question;
    const rules = misbehaviour.at(question.path.split("/").at(-1) ?? "", key);
    for (const { what, ms } of rules) if (what === "delay") await misbehaviour.hold(ms ?? 100);
    const before = rules.find(({ what }) => what.endsWith("-before") || what === "busy");
    if (before) return misbehaved(before.what, response, EMPTY);
    const refused = rules.find(({ what }) => what === "refuse-repeats");
    if (refused) return send(response, refusedWith(refused.status));
    if (key !== null && inProgress.has(key)) return send(response, IN_PROGRESS, { "transient-error": "true" });
    if (key !== null) inProgress.add(key);
    try {
      const answer = (key === null ? undefined : accounts.answerTo(key)) ?? (await book(question));
      await file.flushed();
      const after = rules.find(({ what }) => what !== "delay");
      if (after?.what === "crash-after") options.crash();
      if (after) return misbehaved(after.what, response, answer);
      return send(response, answer, question.key === null ? {} : { "idempotency-key": question.key });
    } finally {
      if (key !== null) inProgress.delete(key);
    }
  }

  server.listen(options.port, "127.0.0.1");
  await once(server, "listening");
  challenges.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const host: AdyenHost = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${VERSION}`,
    webhooks,
    rawCards: true,
    stored: firstStored(),
    misbehave: (rule) => misbehaviour.add(rule),
    behave: () => misbehaviour.clear(),
    settle: () => write({ kind: "settled", at: new Date().toISOString() }),
    async payOut() {
      const report = settlementReport(options.merchantAccount, accounts.nextBatch, accounts.settling);
      await write({ kind: "paid-out", at: new Date().toISOString() });
      return report;
    },
    dailyReports: () => {
      const paymentOf = (psp: string) => accounts.payment(psp);
      const { merchantAccount } = options;
      return {
        accounting: accountingReport(merchantAccount, accounts.items, paymentOf),
        received: receivedReport(merchantAccount, accounts.items, paymentOf),
      };
    },
    balance: (prefix) => accounts.balance(prefix),
    items: () => accounts.items,
    async redeliver(since) {
      const again = accounts.items.filter(({ eventDate }) => new Date(eventDate) >= since);
      for (const { item } of again.map((item) => ({ item, at: Math.random() })).sort((a, b) => a.at - b.at))
        webhooks.send(item);
      await webhooks.arrived();
    },
    payment: (prefix) => accounts.paymentBeginning(prefix),
    tell: async (item, effect = null) => {
      await write({ kind: "booked", at: item.eventDate, key: null, answer: EMPTY, effect, item });
      webhooks.send(item);
    },
    async dispute(prefix, step) {
      const payment = accounts.paymentBeginning(prefix);
      if (payment === undefined) throw new TypeError(`There is no payment ${prefix} here.`);
      const items = itemsOfDispute(payment, options.merchantAccount, step, new Date());
      for (const item of items) await host.tell(item);
      return items;
    },
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await webhooks.stop();
      await file.close();
    },
  };
  return host;
}

async function questionOf(request: IncomingMessage): Promise<Question> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > LONGEST_BODY) throw new Error("the body is too long");
  }
  const key = request.headers["idempotency-key"];
  const body = (text === "" ? {} : JSON.parse(text)) as Question["body"];
  const path = (request.url ?? "/").replace(VERSION, "");
  return { path, key: typeof key === "string" ? key : null, body };
}

const EMPTY: Answer = { status: 200, body: {} };
const UNAUTHORIZED: Answer = {
  status: 401,
  body: { status: 401, errorCode: "000", message: "HTTP Status Response - Unauthorized", errorType: "security" },
};
const IN_PROGRESS: Answer = {
  status: 422,
  body: { status: 422, errorCode: "704", message: "request already processed or in progress", errorType: "validation" },
};

const refusedWith = (status = 400): Answer => ({
  status,
  body: { status, errorCode: "998", message: "Something on the way refuses this", errorType: "validation" },
});

function send(
  response: ServerResponse,
  { status, body }: Answer,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { "content-type": "application/json;charset=utf-8", ...headers })
    .end(JSON.stringify(body));
}

function misbehaved(what: Rule["what"], response: ServerResponse, answer: Answer): void {
  const text = JSON.stringify(answer.body);
  switch (what) {
    case "silent-before":
    case "silent-after":
      break;
    case "busy":
      send(response, { status: 429, body: {} });
      break;
    case "error-before":
    case "error-after":
      send(response, { status: 500, body: { status: 500, errorCode: "702", message: "Internal error" } });
      break;
    case "garbage":
      response.writeHead(200).end("<html>");
      break;
    case "half":
      response.writeHead(200, { "content-length": text.length });
      response.write(text.slice(0, text.length / 2), () => response.destroy());
      break;
    default:
      response.destroy();
  }
}
