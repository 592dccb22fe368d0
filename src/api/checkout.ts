// `/checkout/{token}`: where a payer is sent who has to authenticate, and `…/return`, where the payer comes back from the processor. Not part
// of the merchants' API: the address itself is what a payer has. It is signed, and names a transaction; nothing of the card is in it. It leads
// to the processor's page and to the merchant's return_url, both of which are on record, and nowhere else.

import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Place, returnSignature } from "../gateway/checkout-tokens.ts";
import type { Parts } from "../gateway/parts.ts";
import { payerReturns } from "../gateway/payer-returns.ts";
import type { Render } from "../gateway/result.ts";
import type { Sql } from "../journal/database.ts";
import type { FailedAuthentications } from "../merchants/failed-authentications.ts";
import { nthReturnSecret } from "../merchants/returns.ts";
import { type ChallengePage, isExpired, returnAddress, SIMULATED_PAGE } from "../payment/challenge.ts";
import { statuses } from "../payment/status.ts";
import { challengedIn, chargeOf, type Transaction } from "../payment/transaction.ts";
import { minuteCounts } from "../shares/minute-counts.ts";
import { networkOf } from "../shares/network.ts";
import { fairTurns } from "../shares/turns.ts";
import { type ArrivingBodies, senderOf } from "./body/arriving.ts";
import { readBytes } from "./body/incoming.ts";
import { addressOf } from "./callers.ts";
import { baseFault, RequestFault } from "./request-fault.ts";
import { renderEnd } from "./responses.ts";

export interface CheckoutRoutes {
  readonly parts: Parts;
  readonly sql: Sql;
  readonly failures: FailedAuthentications;
  readonly arriving: ArrivingBodies;
}

type OfToken = { Params: { token: string } };

/** Of one network, behind which many payers may be. */
const MOST_OF_NETWORK = 300;
/** Of one payment: a payer comes back once, or a few times. */
const MOST_OF_PAYMENT = 30;
const MOST_COUNTED = 10_000;
const MOST_BYTES = 64 * 1024;
/** A return waits for a processor: those of one payment one after the other. */
const RETURNS = { atOnce: 32, mostOfOne: 1, mostWaiting: 1_000, mostWaitingOfOne: 4 };
const MOST_BROUGHT = 20;
const LONGEST_BROUGHT = 16_384;

export function checkoutRoutes(app: FastifyInstance, { parts, sql, failures, arriving }: CheckoutRoutes): void {
  const [ofNetwork, ofPayment] = [minuteCounts(MOST_COUNTED), minuteCounts(MOST_COUNTED)];
  const turns = fairTurns(RETURNS);
  const render: Render = (end, at) => renderEnd("charge", end, at);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/x-www-form-urlencoded", (request: FastifyRequest, incoming: IncomingMessage) =>
    formOf(request, incoming, arriving),
  );
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof RequestFault)) throw error;
    reply.headers(error.headers ?? {});
    return page(reply.code(error.status), "This page cannot be shown", String(error.messages.base?.[0] ?? ""));
  });
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers({ "referrer-policy": "no-referrer", "x-frame-options": "DENY" });
    const { nth, leftMs } = ofNetwork(networkOf(addressOf(request)));
    done(nth > MOST_OF_NETWORK ? tooMany(leftMs) : undefined);
  });

  const placeOf = (request: FastifyRequest<OfToken>): Place => {
    const place = parts.checkoutTokens.read(request.params.token);
    if (place !== undefined) {
      const { nth, leftMs } = ofPayment(place.transactionId);
      if (nth > MOST_OF_PAYMENT) throw tooMany(leftMs);
      return place;
    }
    const { waitSeconds } = failures.failed(addressOf(request)) ?? {};
    throw waitSeconds === undefined ? UNKNOWN : tooMany(waitSeconds * 1_000);
  };
  const leave = async (transaction: Transaction | undefined, reply: FastifyReply): Promise<FastifyReply> => {
    if (transaction?.returnUrl === undefined) throw UNKNOWN;
    const { merchantId, id } = transaction;
    const status = statuses(transaction, parts.clock.now())[chargeOf(transaction).sequence - 1] ?? "pending";
    const secret = parts.checkoutTokens.returnSecret(merchantId, await nthReturnSecret(sql, merchantId));
    const signature = returnSignature(secret, id, status);
    return reply.redirect(returnAddress(transaction.returnUrl, { transactionId: id, status, signature }), 303);
  };
  const schema = { hide: true } as object;

  app.get<OfToken>("/checkout/:token", { schema }, async (request, reply) => {
    const { merchantId, transactionId } = placeOf(request);
    const transaction = await parts.journal.find(merchantId, transactionId);
    const challenged = transaction && challengedIn(transaction);
    if (!challenged || isExpired(challenged.challenge, parts.clock.now())) return leave(transaction, reply);
    const { page: goesTo } = challenged.challenge;
    return goesTo.fields === undefined ? reply.redirect(goesTo.url, 303) : posting(reply, goesTo, goesTo.fields);
  });

  const comesBack = async (request: FastifyRequest<OfToken>, reply: FastifyReply) => {
    const place = placeOf(request);
    const brought = broughtIn(request);
    const release = await turns.take(place.transactionId);
    try {
      return await leave(await payerReturns(parts, sql, place, brought, render), reply);
    } finally {
      release();
    }
  };
  app.get<OfToken>("/checkout/:token/return", { schema }, comesBack);
  app.post<OfToken>("/checkout/:token/return", { schema }, comesBack);

  app.get<OfToken>(`/checkout/:token/${SIMULATED_PAGE}`, { schema }, async (request, reply) => {
    const { merchantId, transactionId } = placeOf(request);
    const transaction = await parts.journal.find(merchantId, transactionId);
    const challenged = transaction && challengedIn(transaction);
    if (challenged === undefined || isExpired(challenged.challenge, parts.clock.now()))
      return leave(transaction, reply);
    // Any other processor has a page of its own.
    if (challenged.challenge.page.url !== `${challenged.challenge.checkoutUrl}/${SIMULATED_PAGE}`) throw UNKNOWN;
    return simulated(reply);
  });
}

const UNKNOWN = baseFault(404, "This address leads nowhere. Go back to the shop, and try again there.");

const tooMany = (waitMs: number): RequestFault => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return baseFault(429, `Too many requests. Try again in ${seconds} seconds.`, { "retry-after": String(seconds) });
};

async function formOf(request: FastifyRequest, incoming: IncomingMessage, arriving: ArrivingBodies): Promise<string> {
  const announced = Number(incoming.headers["content-length"] ?? Number.NaN);
  const bytes = await readBytes(incoming, announced, MOST_BYTES, (refuse) => arriving.begin(senderOf(request), refuse));
  if (bytes === undefined) throw baseFault(413, "The form is too large.");
  return bytes.toString("utf8");
}

/** Of the query and the form. A name that comes twice says nothing. */
function broughtIn({ url, body }: FastifyRequest): Readonly<Record<string, string>> {
  const query = url.split("?")[1] ?? "";
  const given = [...new URLSearchParams(query), ...new URLSearchParams(typeof body === "string" ? body : "")];
  const names = given.map(([name]) => name);
  const once = given.filter(
    ([name, value]) => names.indexOf(name) === names.lastIndexOf(name) && value.length <= LONGEST_BROUGHT,
  );
  return Object.fromEntries(once.slice(0, MOST_BROUGHT));
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const SUBMIT = "document.forms[0].submit()";
const STYLE =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}" +
  "a,button{display:inline-block;font:inherit;padding:.5rem 1rem;margin:.25rem .5rem .25rem 0}";
const sourceOf = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`;

/** @param formsTo where forms may lead */
function html(reply: FastifyReply, title: string, body: string, formsTo = "'none'"): FastifyReply {
  const policy = [
    `default-src 'none'; style-src ${sourceOf(STYLE)}; script-src ${sourceOf(SUBMIT)}`,
    `form-action ${formsTo}; base-uri 'none'; frame-ancestors 'none'`,
  ];
  return reply
    .header("content-security-policy", policy.join("; "))
    .type("text/html; charset=utf-8")
    .send(
      `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n` +
        `<meta name="robots" content="noindex">\n<title>${title}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n<main>\n${body}\n</main>\n</body>\n</html>\n`,
    );
}

const page = (reply: FastifyReply, title: string, text: string): FastifyReply =>
  html(reply, title, `<h1>${title}</h1>\n<p>${escaped(text)}</p>`);

/** A form that sends itself. Processors pass it on to pages of card issuers, on any host. */
function posting(reply: FastifyReply, { url }: ChallengePage, fields: Readonly<Record<string, string>>): FastifyReply {
  const hidden = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  const body = `<h1>To your bank</h1>\n<form method="post" action="${escaped(url)}">\n${hidden.join("\n")}\n<button>Continue</button>\n</form>\n<script>${SUBMIT}</script>`;
  return html(reply, "To your bank", body, `https: ${new URL(url).origin}`);
}

/** In the simulator's sandbox: a bank whose answer the payer chooses. */
const simulated = (reply: FastifyReply): FastifyReply =>
  html(
    reply,
    "Simulated bank",
    "<h1>Simulated bank</h1>\n<p>The sandbox asks you to authenticate this payment. No money moves.</p>\n" +
      '<p><a id="pass" href="return?result=pass">Authenticate</a> <a id="fail" href="return?result=fail">Fail</a></p>\n' +
      "<p>To abandon it, close this page: the charge is given up when it expires.</p>",
  );
