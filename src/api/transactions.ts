// The merchant's routes on transactions, specification 4: parse, call, render.

import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { termsNow } from "../gateway/card-numbers.ts";
import type { CardTestingWatch } from "../gateway/card-testing.ts";
import { type Charged, type ChargeRequest, charge } from "../gateway/charge.ts";
import { followUp } from "../gateway/follow-up.ts";
import type { Keys } from "../gateway/idempotency.ts";
import type { Parts } from "../gateway/parts.ts";
import type { Render, Result } from "../gateway/result.ts";
import { reverse } from "../gateway/reverse.ts";
import { isArchived } from "../journal/archived.ts";
import type { Sql } from "../journal/database.ts";
import { disputesOf } from "../journal/disputes.ts";
import { returnHostsOf } from "../merchants/returns.ts";
import { balances } from "../payment/balances.ts";
import { isLoopback } from "../payment/challenge.ts";
import { mayPayTwice } from "../payment/dispute.ts";
import { ZERO } from "../payment/money.ts";
import { type Refused, refuse } from "../payment/refusal.ts";
import type { FollowUpType } from "../payment/transaction.ts";
import { isUuid } from "../uuid.ts";
import { noProblems } from "../validation/problems.ts";
import type { BodyTree } from "./body/tree.ts";
import { callerOf } from "./callers.ts";
import { tellIgnored } from "./check.ts";
import { fieldsInQuery } from "./fields-in-query.ts";
import { keyedHash } from "./keyed-hash.ts";
import * as describe from "./openapi/transaction-routes.ts";
import { type Challenges, type ChargeRules, type Parsed, parseAuth, parseEither, parseSale } from "./parse-charge.ts";
import { parseFollowUp, parseReversal } from "./parse-follow-up.ts";
import { refusalFault } from "./refusal-responses.ts";
import { representTransaction } from "./represent.ts";
import { type FaultMessages, RequestFault } from "./request-fault.ts";
import { keyClaim } from "./request-hash.ts";
import { renderEnd, sendResult } from "./responses.ts";
import { WrongCharge, withDemands } from "./wrong-charge.ts";
import { WrongFollowUp, withAlsoWrong } from "./wrong-follow-up.ts";

export interface TransactionRoutes {
  readonly parts: Parts;
  /** For look-ups. */
  readonly sql: Sql;
  readonly keys: Keys;
  /** Of idempotency keys' request hashes. */
  readonly secret: Buffer;
  readonly cardTesting: CardTestingWatch;
  readonly challenges: ChallengeSettings;
  /** Told when a request was read and checked. */
  readonly parsed?: (seconds: number) => void;
}

export interface ChallengeSettings {
  /** The gateway's address as payers reach it, without a slash at its end. Undefined: not known. */
  readonly publicUrl: string | undefined;
  readonly expiresInMs: number;
  /** Http on this machine will do. */
  readonly sandbox: boolean;
}

type OfTransaction = { Params: { transaction_id: string } };
type OfMerchant = { readonly merchantId: string; readonly transactionId: string };
type Asked<T> = Parsed<T & { readonly ipAddress: string | null }>;

export function transactionRoutes(
  app: FastifyInstance,
  { parts, sql, keys, secret, cardTesting, challenges, parsed }: TransactionRoutes,
): void {
  const hash = keyedHash(secret);
  const renderCharge: Render = (end, at) => renderEnd("charge", end, at);
  const renderFollowUp: Render = (end, at) => renderEnd("follow-up", end, at);

  const chargeBy =
    (parse: (body: BodyTree, rules: ChargeRules) => Parsed<ChargeRequest>) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const {
        merchantId,
        tokenId,
        userId,
        cardTesting: settings,
        strictIdentifiers,
        requireIpAddress,
        cardNumbersForbidden,
      } = callerOf(request);
      const claim = keyClaim(request, hash, strictIdentifiers);
      const body = request.body as BodyTree;
      // Read for the few charges that allow a challenge only.
      const allowed = body.return_url ? await challengesOf(sql, merchantId, request, challenges) : undefined;
      const ofMerchant = { strictIdentifiers, requireIpAddress, cardNumbersForbidden };
      const rules = { ...ofMerchant, ...(allowed && { challenges: allowed }) };
      const { request: asked, ignored } = await allWrongAtOnce(parts, merchantId, () =>
        request.measured(() => parse(body, rules)),
      );
      parsed?.(reply.elapsedTime / 1_000);
      tellIgnored(reply, ignored);
      const admit = (charged: Charged, currency: string) =>
        cardTesting.admit({ merchantId, tokenId, settings, currency, ...charged });
      const caller = { merchantId, userId, admit, requestId: request.id, cardNumbersForbidden };
      const work = () => charge(parts, caller, asked, claim, renderCharge);
      return sendResult(await keys.once(merchantId, claim, work), reply);
    };

  const followUpBy =
    <T>(
      parse: (body: BodyTree, inQuery: FaultMessages, sent: OfMerchant) => Asked<T> | Promise<Asked<T>>,
      run: (call: Parameters<typeof reverse>[1], asked: T) => Promise<Result>,
      givesBack: "yes" | "if captured" | "no",
    ) =>
    async (request: FastifyRequest<OfTransaction>, reply: FastifyReply) => {
      const { merchantId, strictIdentifiers } = callerOf(request);
      const claim = keyClaim(request, hash, strictIdentifiers);
      const body = request.body as BodyTree;
      // As it was sent: that it is no id is said after what is wrong with the body.
      const sent = { merchantId, transactionId: request.params.transaction_id };
      const inQuery = fieldsInQuery(request.url, body);
      const { request: asked, ignored } = await request.measured(() => parse(body, inQuery, sent));
      parsed?.(reply.elapsedTime / 1_000);
      tellIgnored(reply, ignored);
      const { ipAddress } = asked;
      const of = { merchantId, transactionId: transactionIdOf(request), ipAddress, requestId: request.id };
      const call = { ...of, claim, render: renderFollowUp };
      const [result, disputed] = await Promise.all([
        keys.once(merchantId, claim, () => run(call, asked)),
        givesBack === "no" ? [] : disputedBy(sql, call, request.log),
      ]);
      const done = result.kind === "responded" && result.response.status < 300;
      if (done && disputed.length > 0 && (givesBack === "yes" || (await voidedCaptured(parts, call, request.log))))
        reply.header("faregate-disputed", disputed.join(", "));
      return sendResult(await perhapsArchived(sql, of, result), reply);
    };
  const follow = (type: FollowUpType) =>
    followUpBy(
      (body, inQuery, sent) => allWrongOfFollowUp(parts, { ...sent, type }, () => parseFollowUp(body, inQuery)),
      (call, asked) => followUp(parts, call, type, asked),
      ({ refund: "yes", void: "if captured", capture: "no" } as const)[type],
    );

  const charging = { config: { scope: "charge" } } as const;
  app.post("/transactions/sale", { ...charging, schema: describe.sale }, chargeBy(parseSale));
  app.post("/transactions/auth", { ...charging, schema: describe.auth }, chargeBy(parseAuth));
  app.post("/transactions", { ...charging, schema: describe.either }, chargeBy(parseEither));

  const following = { config: { scope: "follow_up" } } as const;
  const ofTransaction = "/transactions/:transaction_id";
  app.post<OfTransaction>(`${ofTransaction}/capture`, { ...following, schema: describe.capture }, follow("capture"));
  app.post<OfTransaction>(`${ofTransaction}/void`, { ...following, schema: describe.cancel }, follow("void"));
  app.post<OfTransaction>(`${ofTransaction}/refund`, { ...following, schema: describe.refund }, follow("refund"));
  app.post<OfTransaction>(
    `${ofTransaction}/reversal`,
    { ...following, schema: describe.reversal },
    followUpBy(
      parseReversal,
      async (call, { problems, currency }) => {
        if (!noProblems(problems) && (await parts.journal.find(call.merchantId, call.transactionId)) !== undefined)
          throw new RequestFault(422, problems);
        return reverse(parts, call, currency);
      },
      "yes",
    ),
  );

  const reading = { config: { scope: "read", equal: true } } as const;
  app.get<OfTransaction>(ofTransaction, { ...reading, schema: describe.find }, async (request) => {
    const { merchantId } = callerOf(request);
    const id = transactionIdOf(request);
    const [transaction, disputes] = await Promise.all([
      parts.journal.find(merchantId, id),
      disputesOf(sql, merchantId, [id]),
    ]);
    if (transaction === undefined) {
      const unknown = refuse("transaction-unknown");
      throw refusalFault(await perhapsArchived(sql, { merchantId, transactionId: id }, unknown));
    }
    const terms = await termsNow(parts, transaction);
    return { transaction: representTransaction(transaction, terms, parts.clock.now(), disputes.get(transaction.id)) };
  });
}

/** A sandbox that was not told its address has the one at which it was asked, on this machine. */
async function challengesOf(
  sql: Sql,
  merchantId: string,
  { host, server }: FastifyRequest,
  { publicUrl, expiresInMs, sandbox }: ChallengeSettings,
): Promise<Challenges> {
  const asked = `http://${host}`;
  const here = sandbox && URL.canParse(asked) && isLoopback(new URL(asked)) ? `${asked}${server.basePath}` : undefined;
  return {
    hosts: await returnHostsOf(sql, merchantId),
    loopback: sandbox,
    publicUrl: publicUrl ?? here,
    expiresInMs,
  };
}

/** That there is no such transaction is said otherwise of one that is in an archive. */
async function perhapsArchived<T extends Result | Refused>(
  sql: Sql,
  { merchantId, transactionId }: OfMerchant,
  result: T,
): Promise<T | Refused> {
  if (result.kind !== "refused" || result.refusals[0].name !== "transaction-unknown") return result;
  return (await isArchived(sql, merchantId, transactionId)) ? refuse("transaction-archived") : result;
}

/** Ids of disputes over which the payer may get the money twice. A hint: that there is none now stops no refund. */
async function disputedBy(
  sql: Sql,
  { merchantId, transactionId }: OfMerchant,
  log: FastifyBaseLogger,
): Promise<readonly string[]> {
  try {
    const disputes = await disputesOf(sql, merchantId, [transactionId]);
    return [...disputes.values()]
      .flat()
      .filter(mayPayTwice)
      .map(({ id }) => id);
  } catch (fault) {
    log.debug({ transaction: transactionId, fault: String(fault) }, "whether there is a dispute is not known: no hint");
    return [];
  }
}

/** What was only held goes back to nobody. A hint, too. */
async function voidedCaptured({ journal, clock }: Parts, of: OfMerchant, log: FastifyBaseLogger): Promise<boolean> {
  try {
    const transaction = await journal.find(of.merchantId, of.transactionId);
    if (transaction === undefined) return false;
    return balances(transaction, clock.now(), "succeeded").captures.some(({ voided }) => voided > ZERO);
  } catch (fault) {
    log.debug({ transaction: of.transactionId, fault: String(fault) }, "what was voided is not known: no hint");
    return false;
  }
}

async function allWrongAtOnce<T>(parts: Parts, merchantId: string, parse: () => T): Promise<T> {
  try {
    return parse();
  } catch (fault) {
    throw fault instanceof WrongCharge ? await withDemands(parts, merchantId, fault) : fault;
  }
}

async function allWrongOfFollowUp<T>(
  parts: Parts,
  of: OfMerchant & { readonly type: FollowUpType },
  parse: () => T,
): Promise<T> {
  try {
    return parse();
  } catch (fault) {
    throw fault instanceof WrongFollowUp ? await withAlsoWrong(parts, of, fault) : fault;
  }
}

/** What is no UUID is the id of no transaction. */
function transactionIdOf({ params }: FastifyRequest<OfTransaction>): string {
  if (!isUuid(params.transaction_id)) throw refusalFault(refuse("transaction-unknown"));
  return params.transaction_id.toLowerCase();
}
