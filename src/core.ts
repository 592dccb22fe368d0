// What every process of a gateway stands on: database, clock, journal, processors, keys. Built in order, and taken apart in the
// opposite order by whoever has the list of what is to be undone.

import { createHmac } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { keyedHash } from "./api/keyed-hash.ts";
import { renderEnd } from "./api/responses.ts";
import type { ServerParts } from "./api/server.ts";
import { type MovableClock, movableClock, systemClock } from "./clock.ts";
import { dataFolderSecret } from "./data-folder.ts";
import { cardKeys } from "./gateway/card-keys.ts";
import { type CardTestingWatch, cardTestingWatch } from "./gateway/card-testing.ts";
import { startCardTestingExchange } from "./gateway/card-testing-exchange.ts";
import { checkoutTokens } from "./gateway/checkout-tokens.ts";
import { failingProcessors } from "./gateway/failing-processors.ts";
import { fingerprints } from "./gateway/fingerprints.ts";
import { transactionTurns } from "./gateway/follow-up.ts";
import { idempotencyKeys } from "./gateway/idempotency.ts";
import { inFlight } from "./gateway/in-flight.ts";
import { intentsInTurn } from "./gateway/intents-in-turn.ts";
import { keyedIds } from "./gateway/keyed-ids.ts";
import { startApplying } from "./gateway/notifications.ts";
import type { Parts } from "./gateway/parts.ts";
import { processorsAtWork } from "./gateway/processors-at-work.ts";
import { startResolver } from "./gateway/resolve.ts";
import type { Render } from "./gateway/result.ts";
import { retryQueue } from "./gateway/retry-queue.ts";
import { dataKeyStore } from "./journal/data-keys.ts";
import type { Sql } from "./journal/database.ts";
import { isDistributed } from "./journal/distribution.ts";
import { checkSecret, clockOffset } from "./journal/installation.ts";
import { registerNode, signOff } from "./journal/nodes.ts";
import { type JournalOptions, openJournal, type PostgresJournal } from "./journal/postgres-journal.ts";
import { storedCardsIn } from "./journal/stored-cards.ts";
import { openTraceNumbers, type TraceNumberStore } from "./journal/trace-numbers.ts";
import { startMasterKeyWatch } from "./master-key-watch.ts";
import { checkMasterKeys, masterKeysOf } from "./master-keys.ts";
import { auditKeyOf } from "./merchants/audit-chain.ts";
import { operatorBySecret, tokenBySecret } from "./merchants/authentication.ts";
import { type ProcessorLookup, processorLookup } from "./merchants/processor-lookup.ts";
import { addRequests } from "./merchants/request-counts.ts";
import type { Observed } from "./observability/observe.ts";
import type { State } from "./observability/state-metrics.ts";
import { watchedJournal, watchedKinds } from "./observability/watched-ports.ts";
import { type Database, openPools, type Pools } from "./open-database.ts";
import { DEFAULT_CARD_TESTING } from "./payment/card-testing.ts";
import { chancesOf } from "./payment/draw.ts";
import { personKeys } from "./people/keys.ts";
import { passwords } from "./people/passwords.ts";
import type { PeopleOffice } from "./people/people.ts";
import { sessionsIn } from "./people/sessions.ts";
import type { ProcessorKinds } from "./processors/kind.ts";
import { PROCESSOR_KINDS } from "./processors/kinds.ts";
import { haltedJournal } from "./recovery/halted-journal.ts";
import { LineageWatch } from "./recovery/lineage-watch.ts";
import { lostKeysIn } from "./recovery/lost-keys.ts";
import type { Settings } from "./settings.ts";
import { type SharedCounts, sharedCounts } from "./shares/shared-counts.ts";
import type { Asked } from "./silent-process.ts";
import type { Undo } from "./undo.ts";
import { type DataKeyStore, dataKeys } from "./vault/data-keys.ts";
import type { MasterKeys } from "./vault/master-key.ts";
import { settingVault } from "./vault/setting-vault.ts";
import { vault } from "./vault/vault.ts";
import type { SealingOffice } from "./webhooks/endpoints.ts";
import { sealing } from "./webhooks/secrets.ts";
import { wantedWorkers } from "./workers/plan.ts";

/** For measurements and trials only: other kinds of processors, another grouping of the journal's writes, another journal, or something in between. */
export interface Refitted extends Pick<JournalOptions, "mostRows" | "groupsInFlight"> {
  readonly kinds?: ProcessorKinds;
  readonly journal?: PostgresJournal;
  readonly refit?: (parts: Parts) => Parts;
  readonly refitTraceNumbers?: (store: TraceNumberStore) => TraceNumberStore;
  readonly patience?: Patience;
}

/** How long this node waits for others, and a gateway for processes of its own, that may be dead; where it is left out, as long as their parts say. */
export interface Patience {
  /** After so long without a heartbeat they are dead. */
  readonly deadAfterMs?: number;
  /** How long a new lineage of the database waits for nodes to vouch for it. */
  readonly vouchedWithinMs?: number;
  /** The lease of the authorizations that they capture, and of the payments of plans that they charge. */
  readonly captureLeaseMs?: number;
  /** The lease of the webhooks that they send. */
  readonly webhooksLeaseMs?: number;
  /** How a process that it started is asked whether it lives. */
  readonly asked?: Asked;
}

export interface Core {
  readonly pools: Omit<Pools, "close">;
  /** What payments read with. */
  readonly payments: Sql;
  readonly secret: Buffer;
  /** Undefined in live mode. */
  readonly sandboxClock: MovableClock | undefined;
  readonly node: number;
  readonly parts: Parts;
  readonly records: ProcessorLookup;
  readonly office: SealingOffice & PeopleOffice;
  readonly cardTesting: CardTestingWatch;
  readonly requestCounts: SharedCounts;
  /** Undefined in live mode without a master key. */
  readonly keysThere: { readonly masterKeys: MasterKeys; readonly store: DataKeyStore } | undefined;
}

const asItIs = <T>(part: T): T => part;

/**
 * @param database whose tables are up to date
 * @throws StartFault with one line for the person who starts it
 */
export async function openCore(
  settings: Settings,
  log: FastifyBaseLogger,
  refitted: Refitted,
  { address, pool, sizes }: Database,
  undo: Undo,
  { watch, groupsOf }: Observed = {},
): Promise<Core> {
  const { kinds = PROCESSOR_KINDS, refit = asItIs, refitTraceNumbers = asItIs } = refitted;
  const lineage = await LineageWatch.open({
    ...{ sql: pool, log, fenceFile: settings.fenceFile },
    vouchedWithinMs: refitted.patience?.vouchedWithinMs,
  });
  const { close, ...pools } = openPools(address, sizes, lineage.sessions);
  undo.push(close);
  const secret = settings.secret?.reveal() ?? dataFolderSecret(settings.dataFolder);
  await checkSecret(pool, secret);
  const masterKeys = masterKeysOf(settings);

  const sandboxClock = settings.mode === "live" ? undefined : movableClock();
  sandboxClock?.moveAhead(await clockOffset(pool));
  const clock = sandboxClock ?? systemClock;
  const node = await registerNode(pool, clock.now(), lineage.found);
  const { mostRows, groupsInFlight } = refitted;
  const grouping = { ...(mostRows && { mostRows }), ...(groupsInFlight && { groupsInFlight }) };
  const distributed = await isDistributed(pool);
  const opened =
    refitted.journal ??
    openJournal({
      ...{ address, pool, clock, node, groupsOf, distributed, fence: lineage.sessions },
      ...grouping,
    });
  undo.push(opened.close);
  undo.push(lineage.start(node, pools.heartbeats).stop);
  const ids = keyedIds(keyedHash(createHmac("sha256", secret).update("faregate idempotency keys").digest()), clock);
  const halting = lostKeysIn(haltedJournal(opened, lineage, log), lineage, ids.endOf);
  const journal = watch ? watchedJournal(halting, watch) : halting;
  const keyStore = dataKeyStore(pool, () => clock.now());
  await checkMasterKeys(pool, masterKeys, keyStore, kinds.values());
  const keys = masterKeys && dataKeys(keyStore, masterKeys);
  const secrets = keys && settingVault(keys);
  const records = processorLookup(pool, secrets);
  const traceNumbers = refitTraceNumbers(openTraceNumbers(address, pool, node, distributed, lineage.sessions));
  undo.push(traceNumbers.close);
  const processorParts = { clock, log, chance: Math.random, traceNumbersOf: traceNumbers.of };
  const processors = processorsAtWork(records, watch ? watchedKinds(kinds, watch) : kinds, processorParts);
  undo.push(processors.close);
  const parts = refit({
    ...{ journal, processors, clock, log },
    failing: failingProcessors({ clock, log }),
    newId: ids.newId,
    chancesOf,
    cardKeyOf: cardKeys(secret),
    checkoutTokens: checkoutTokens(secret),
    storedCards: storedCardsIn(pool, distributed),
    fingerprintOf: fingerprints(secret),
    inFlight: inFlight(),
    retryQueue: retryQueue(log),
    transactionTurns: transactionTurns(),
    halted: () => lineage.halted !== undefined,
    vault: keys && vault(keys),
  });
  const auditKey = auditKeyOf(secret);
  const office = {
    ...{ sql: pools.office, clock, kinds },
    mode: settings.mode,
    canSeal: masterKeys !== undefined,
    secrets,
    auditKey: async () => auditKey,
    sealing: sealing(secret),
    passwords: passwords(settings.mode, wantedWorkers(settings)),
    personKeys: personKeys(secret),
  };
  const cardTesting = cardTestingWatch(secret, DEFAULT_CARD_TESTING);
  const requestCounts = sharedCounts((counts) => addRequests(pools.lookUps, counts));
  const payments = pool;
  const keysThere = masterKeys && { masterKeys, store: keyStore };
  return { pools, payments, secret, keysThere, sandboxClock, node, parts, records, office, cardTesting, requestCounts };
}

/** What every node does for itself: it shows that it lives, works off what is to be tried again, tells others what it sees. */
export function startNode({ parts, pools, node, cardTesting, keysThere }: Core, patience: Patience, undo: Undo): void {
  const { background } = pools;
  const renderFollowUp: Render = (end, at) => renderEnd("follow-up", end, at);
  const resolver = startResolver(parts, pools, node, renderFollowUp, patience.deadAfterMs);
  undo.push(async () => {
    await resolver.stop();
    if (parts.inFlight.size === 0) await signOff(background, node);
  });
  if (keysThere) undo.push(startMasterKeyWatch({ sql: background, node, log: parts.log, ...keysThere }).stop);
  undo.push(startApplying(parts, background, renderFollowUp).stop);
  undo.push(startCardTestingExchange(parts, cardTesting, background, node).stop);
}

/** What the HTTP server of any process of the gateway is built of. */
export const serverPartsOf = (
  { pools, secret, parts, records, office, cardTesting, requestCounts }: Core,
  settings: Settings,
  log: FastifyBaseLogger,
  { parsed }: Observed = {},
): Omit<ServerParts, "time" | "notReady"> => ({
  ...(parsed && { parsed }),
  // What the gateway has to do of itself does not wait behind merchants' requests.
  parts: { ...parts, journal: intentsInTurn(parts.journal) },
  keys: idempotencyKeys(),
  lookUps: pools.lookUps,
  slowReads: pools.slowReads,
  ...{ log, secret, cardTesting, requestCounts, office },
  findCaller: tokenBySecret(pools.lookUps, parts.clock),
  findOperator: operatorBySecret(pools.lookUps),
  sessions: sessionsIn(pools.lookUps, settings.mode),
  processorsChanged: async (merchantId) => records.forget(merchantId),
  rateLimitPerMinute: settings.rateLimitPerMinute,
  failedAuthenticationsPerMinute: settings.failedAuthenticationsPerMinute,
  trustProxy: settings.trustProxy,
  basePath: settings.basePath ?? "",
  publicUrl: settings.publicUrl,
  ...(settings.challengeMinutes !== undefined && { challengeMinutes: settings.challengeMinutes }),
  proxyProtocol: settings.proxyProtocol ?? [],
});

/** What figures are read of when somebody asks. */
export const stateOf = ({ parts, pools, payments }: Core): State => ({ parts, pools: { payments, ...pools } });
