// The HTTP server: which routes there are, who may call them, and what holds for all of them.

import type { Socket } from "node:net";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from "fastify";
import type { CardTestingWatch } from "../gateway/card-testing.ts";
import type { Keys } from "../gateway/idempotency.ts";
import { receiving } from "../gateway/notifications.ts";
import type { Parts } from "../gateway/parts.ts";
import type { Sql } from "../journal/database.ts";
import type { ApiCaller, FindCaller, OperatorCaller } from "../merchants/authentication.ts";
import { failedAuthentications } from "../merchants/failed-authentications.ts";
import { DEFAULT_CHALLENGE_MINUTES } from "../payment/challenge.ts";
import type { PeopleOffice } from "../people/people.ts";
import type { Sessions } from "../people/sessions.ts";
import type { SandboxTime } from "../settlement/time.ts";
import { type LogLines, logLines } from "../shares/log-lines.ts";
import { loopTurns } from "../shares/loop-turns.ts";
import type { SharedCounts } from "../shares/shared-counts.ts";
import type { SealingOffice } from "../webhooks/endpoints.ts";
import { basePathOptions, knowBasePath } from "./base-path.ts";
import { merchantBatchRoutes } from "./batches.ts";
import { arrivingBodies } from "./body/arriving.ts";
import { bodyServerOptions, readBodies } from "./body/read-bodies.ts";
import { parseQuery } from "./body/urlencoded.ts";
import { callerOf, forApiCallers, forOperators, requireScopes } from "./callers.ts";
import { refuseCardNumbersInAddress } from "./card-numbers-in-address.ts";
import { cardRoutes } from "./cards.ts";
import { NOTHING_COMPILED } from "./check.ts";
import { checkoutRoutes } from "./checkout.ts";
import { letGoOnClose } from "./closing.ts";
import {
  behindDoorHttpOptions,
  connectionHttpOptions,
  connectionServerOptions,
  knowConnections,
  limitConnections,
} from "./connections.ts";
import { consoleRoutes } from "./console.ts";
import { disputeRoutes } from "./disputes.ts";
import { respondToErrors, sendFault } from "./errors.ts";
import { type Exchanges, trackExchanges } from "./exchanges.ts";
import { refuseForbiddenCardNumbers } from "./forbidden-card-numbers.ts";
import { healthRoutes, isHealthCheck } from "./health.ts";
import { CLOCK_AHEAD, type HeavyWorker, passOnHeavyRequests } from "./heavy-requests.ts";
import { knownPaths, leaveBodiesOfQuery } from "./known-paths.ts";
import { ledgerRoute } from "./ledger.ts";
import { listRoute } from "./list.ts";
import { longResponses } from "./long-responses.ts";
import { longTransactions } from "./long-transactions.ts";
import { notificationRoute } from "./notifications.ts";
import { lookOn, type Onlooker } from "./onlookers.ts";
import { describeApi } from "./openapi/document.ts";
import { notedAttempts } from "./operator/attempts.ts";
import { limitOwnChanges } from "./operator/own-changes.ts";
import { operatorRoutes } from "./operator/routes.ts";
import { overviewRoute } from "./overview.ts";
import { oneAfterTheOther } from "./pipelining.ts";
import type { Places } from "./places.ts";
import { planRoutes } from "./plans.ts";
import { processorRoutes } from "./processors.ts";
import { readProxyHeaders } from "./proxy-protocol.ts";
import { limitPeoplesRates, limitRates } from "./rate-limit.ts";
import { reconciliationRoutes } from "./reconciliations.ts";
import { baseFault } from "./request-fault.ts";
import { REQUEST_ID, requestIdOf } from "./request-id.ts";
import { limitToRole } from "./session-callers.ts";
import { sessionCookies } from "./session-cookies.ts";
import { sessionRoutes } from "./sessions.ts";
import { settlementRoute } from "./settlement.ts";
import { refuseSmallPieces } from "./small-pieces.ts";
import { transactionRoutes } from "./transactions.ts";
import { leaveOutUnchanged } from "./unchanged.ts";
import { cutOffUnread } from "./unread-responses.ts";
import { leaveUnreadable, respondToUnreadable } from "./unreadable.ts";

export interface ServerParts {
  readonly parts: Parts;
  readonly keys: Keys;
  /** For health checks. */
  readonly lookUps: Sql;
  /** For lists and exports, which may take long. */
  readonly slowReads: Sql;
  readonly log: FastifyBaseLogger;
  /** Of idempotency keys' request hashes. */
  readonly secret: Buffer;
  readonly cardTesting: CardTestingWatch;
  readonly findCaller: FindCaller<ApiCaller>;
  /** Why requests are not to be sent here yet; undefined as soon as they are. */
  readonly notReady: () => string | undefined;
  readonly findOperator: FindCaller<OperatorCaller>;
  readonly sessions: Sessions;
  readonly office: SealingOffice & PeopleOffice;
  /** Told of the merchant whose processor records, or the rules among them, are others now. */
  readonly processorsChanged: (merchantId: string) => Promise<void>;
  /** Undefined in live mode. */
  readonly time: SandboxTime | undefined;
  readonly rateLimitPerMinute: number;
  /** By the token. */
  readonly requestCounts: SharedCounts;
  /** From one address; 0 is no limit. */
  readonly failedAuthenticationsPerMinute: number;
  /** Addresses and networks of proxies whose word on the client's address is taken. */
  readonly trustProxy: readonly string[];
  /** Addresses and networks of load balancers that send the PROXY protocol's header. */
  readonly proxyProtocol?: readonly string[];
  /** The gateway's address as payers reach it, without a slash at its end. */
  readonly publicUrl?: string | undefined;
  /** How long a payer has to authenticate. */
  readonly challengeMinutes?: number;
  /** `/pay`; empty unless a proxy shows the gateway under a path. */
  readonly basePath?: string;
  /** Undefined: heavy requests are worked on here. */
  readonly heavyWorker?: HeavyWorker | undefined;
  readonly onlookers?: readonly Onlooker[];
  /** Told of a charge or follow-up that was read and checked, so many seconds after its request began. */
  readonly parsed?: (seconds: number) => void;
  /** Of the process for heavy requests: it has no door of its own, and hears the time from the gateway. */
  readonly behindDoor?: { readonly clockIsAhead: (ms: number) => void };
}

/** Made once: whoever asks for what is not there makes many of them. */
const NOTHING = baseFault(404, "There is nothing at this path.");
const UNREADABLE = baseFault(400, "The request cannot be read.");
const nothingHere = (_request: unknown, reply: FastifyReply) => void sendFault(NOTHING, reply);

/** The HTTP server with all routes; it does not listen yet. */
export async function buildServer(server: ServerParts): Promise<FastifyInstance> {
  const { parts, lookUps, slowReads, log, heavyWorker, behindDoor, basePath = "" } = server;
  const failures = failedAuthentications(server.failedAuthenticationsPerMinute);
  const lines = logLines(log);
  const attempts = notedAttempts(server.office);
  const bySession = { sessions: server.sessions, cookies: sessionCookies(server.office.mode, basePath) };
  const responses = longResponses(lines);
  const app = Fastify({
    trustProxy: behindDoor !== undefined || (server.trustProxy.length > 0 && [...server.trustProxy]),
    ...bodyServerOptions,
    ...connectionServerOptions,
    http: { ...bodyServerOptions.http, ...(behindDoor === undefined ? connectionHttpOptions : behindDoorHttpOptions) },
    loggerInstance: log,
    genReqId: requestIdOf,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    // What is no id is a transaction that is not there (404), however long it is: Node takes 16 KiB of an address and its headers.
    routerOptions: { querystringParser: parseQuery, maxParamLength: 16_384 },
    schemaController: NOTHING_COMPILED,
    clientErrorHandler: leaveUnreadable,
    // What still arrives on an open connection while the gateway stops is served like any other request.
    return503OnClosing: false,
    ...basePathOptions(basePath),
    frameworkErrors: (_error, _request, reply) => void sendFault(UNREADABLE, reply),
  });
  knowBasePath(app, basePath);
  let stopping = false;
  app.addHook("preClose", async () => {
    stopping = true;
  });
  app.addHook("onClose", async () => lines.close());
  respondToErrors(app, lines);
  leaveBodiesOfQuery(app);
  const long = longTransactions(app);
  const arriving = arrivingBodies();
  const leftBodies = readBodies(app, undefined, heavyWorker && long.isNamedBy, arriving);
  const exchanges = trackExchanges(app);
  respondToUnreadable(app, exchanges, lookOn(app, exchanges, server.onlookers ?? []));
  letGoOnClose(app, exchanges);
  app.addHook("onRequest", ({ id }, reply, done) => {
    reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff", [REQUEST_ID]: id });
    done();
  });
  if (behindDoor !== undefined)
    app.addHook("onRequest", (request, _reply, done) => {
      behindDoor.clockIsAhead(Number(request.headers[CLOCK_AHEAD] ?? 0));
      done();
    });
  const places = behindDoor === undefined ? door(app, exchanges, lines, server.trustProxy) : undefined;
  const passOn = (routes: FastifyInstance) => {
    if (heavyWorker !== undefined)
      passOnHeavyRequests(routes, heavyWorker, leftBodies, long, () => server.time?.aheadMs() ?? 0);
  };
  app.setNotFoundHandler(nothingHere);

  const open = knownPaths(app);
  await describeApi(app, server.office.kinds);
  consoleRoutes(app);
  healthRoutes(app, lookUps, () => (stopping ? "The gateway is stopping." : server.notReady()));
  open.close();
  await app.register(
    async (api) => {
      forApiCallers(api, { ...bySession, find: server.findCaller, sql: lookUps }, { failures, lines });
      if (places !== undefined) {
        knowConnections(api, places, (request) => callerOf(request).merchantId);
        limitRates(api, server.requestCounts, server.rateLimitPerMinute);
      }
      requireScopes(api);
      if (behindDoor === undefined) {
        attempts.noteFollowUps(api);
        leaveOutUnchanged(api);
      }
      passOn(api);
      refuseForbiddenCardNumbers(api);
      refuseCardNumbersInAddress(api);
      const paths = knownPaths(api);
      const challenges = {
        publicUrl: server.publicUrl,
        expiresInMs: (server.challengeMinutes ?? DEFAULT_CHALLENGE_MINUTES) * 60_000,
        sandbox: server.office.mode === "sandbox",
      };
      transactionRoutes(api, { ...server, sql: lookUps, challenges });
      listRoute(api, parts, slowReads, responses);
      cardRoutes(api, server);
      planRoutes(api, server);
      ledgerRoute(api, slowReads, parts.clock, responses);
      overviewRoute(api, slowReads, parts.clock);
      merchantBatchRoutes(api, slowReads, parts.clock, responses);
      settlementRoute(api, slowReads, parts);
      reconciliationRoutes(api, slowReads);
      disputeRoutes(api, slowReads);
      processorRoutes(api, parts);
      paths.close();
      api.setNotFoundHandler(nothingHere);
    },
    { prefix: "/api" },
  );
  await app.register(
    async (operator) => {
      const refused = attempts.notAuthenticated;
      forOperators(operator, { ...bySession, find: server.findOperator }, { failures, lines, refused });
      if (places !== undefined) {
        knowConnections(operator, places, (request) => request.session?.merchantId ?? "operator");
        limitPeoplesRates(operator, server.requestCounts, server.rateLimitPerMinute);
      }
      // What the worker answers may be for several who asked at once, tokens among them.
      if (behindDoor === undefined) leaveOutUnchanged(operator);
      attempts.noteRefusals(operator);
      limitToRole(operator, lookUps);
      limitOwnChanges(operator);
      passOn(operator);
      refuseCardNumbersInAddress(operator);
      const paths = knownPaths(operator);
      const office = { ...server.office, slowReads, responses, parts };
      operatorRoutes(operator, office, server.processorsChanged, server.time);
      paths.close();
      // Thrown, it is noted among what people were refused.
      operator.setNotFoundHandler(() => {
        throw NOTHING;
      });
    },
    { prefix: "/operator" },
  );
  await app.register(async (browsers) => {
    refuseCardNumbersInAddress(browsers);
    const paths = knownPaths(browsers, app);
    sessionRoutes(browsers, { ...bySession, office: server.office, attempts, counts: server.requestCounts, lines });
    paths.close();
  });
  await app.register(async (payers) => {
    const paths = knownPaths(payers, app);
    checkoutRoutes(payers, { parts, sql: lookUps, failures, arriving });
    paths.close();
  });
  await app.register(async (processors) => {
    refuseCardNumbersInAddress(processors);
    const paths = knownPaths(processors, app);
    notificationRoute(processors, { ...receiving(parts, server.office.sql), failures, lines, arriving });
    paths.close();
  });
  if (places !== undefined) readProxyHeaders(app, server.proxyProtocol ?? []);
  await app.ready();
  return app;
}

/** What a connection may cost, and who may have one. */
function door(app: FastifyInstance, exchanges: Exchanges, lines: LogLines, trustProxy: readonly string[]): Places {
  const holderOf = (socket: Socket) => places.holderOf(socket);
  cutOffUnread(app, exchanges, holderOf, lines);
  refuseSmallPieces(app, exchanges);
  const turns = loopTurns();
  oneAfterTheOther(app, exchanges, holderOf, (request, begin) => {
    const { socket, headers, url } = request;
    const holder = places.holderOf(socket, headers["x-forwarded-for"]);
    // Probes come by themselves: whoever asks through a proxy is one of the many behind it.
    const checksHealth = isHealthCheck(url) && holder.name === places.holderOf(socket).name;
    turns.begin(checksHealth ? { ...holder, checksHealth } : holder, begin);
  });
  const places = limitConnections(app, exchanges, trustProxy);
  return places;
}
