// Builds the parts of a gateway, joins them, and takes them apart again in order.

import type { FastifyBaseLogger } from "fastify";
import { renderEnd } from "./api/answers.ts";
import { type Doors, doorsOf } from "./api/doors.ts";
import { representTransaction } from "./api/represent.ts";
import { buildServer } from "./api/server.ts";
import { type Clock, movableClock, systemClock } from "./clock.ts";
import { dataFolderSecret, prepareDataFolder, secretFile } from "./data-folder.ts";
import { openPools } from "./database-pools.ts";
import { lockFolder } from "./folder-lock.ts";
import { cardTestingWatch } from "./gateway/card-testing.ts";
import { startCardTestingExchange } from "./gateway/card-testing-exchange.ts";
import { every } from "./gateway/every.ts";
import { idempotencyKeys } from "./gateway/idempotency.ts";
import { inFlight } from "./gateway/in-flight.ts";
import { intentsInTurn } from "./gateway/intents-in-turn.ts";
import type { Parts } from "./gateway/parts.ts";
import { processorsAtWork, termsOf } from "./gateway/processors-at-work.ts";
import { startResolver } from "./gateway/resolve.ts";
import { retryQueue } from "./gateway/retry-queue.ts";
import { dataKeyStore } from "./journal/data-keys.ts";
import type { Sql } from "./journal/database.ts";
import { checkSecret, clockOffset } from "./journal/installation.ts";
import { migrate, missingMigrations } from "./journal/migrate.ts";
import { registerNode, signOff } from "./journal/nodes.ts";
import { type JournalOptions, openJournal, type PostgresJournal } from "./journal/postgres-journal.ts";
import { openTraceNumbers, type TraceNumberStore } from "./journal/trace-numbers.ts";
import { groupMayUse } from "./key-file.ts";
import { checkMasterKeys, masterKeyFile, masterKeysOf } from "./master-keys.ts";
import { type AuditKey, AuditLogBroken, auditKeyOf, openChain } from "./merchants/audit-chain.ts";
import { removeOldEntries } from "./merchants/audit-retention.ts";
import { auditWatch, checkNewest } from "./merchants/audit-watch.ts";
import { operatorBySecret, tokenBySecret } from "./merchants/authentication.ts";
import { processorLookup } from "./merchants/processor-lookup.ts";
import { type Database, openDatabase } from "./open-database.ts";
import { defaultCardTesting } from "./payment/card-testing.ts";
import { chargeOf, type Transaction } from "./payment/transaction.ts";
import type { ProcessorKinds } from "./processors/kind.ts";
import { PROCESSOR_KINDS } from "./processors/kinds.ts";
import { prepareSandbox, readSandbox, type Sandbox } from "./sandbox.ts";
import type { Settings } from "./settings.ts";
import { sandboxTime, startDueWork } from "./settlement/time.ts";
import { reasonOf, StartFault } from "./start-fault.ts";
import { newId } from "./uuid.ts";
import { dataKeys } from "./vault/data-keys.ts";
import { vault } from "./vault/vault.ts";
import { sealing } from "./webhooks/sealing.ts";
import { startWebhooks } from "./webhooks/webhooks.ts";

export interface Gateway {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly dataPlace: string;
  /** Undefined in live mode. */
  readonly sandbox: Sandbox | undefined;
  /** Finishes what is in flight, then stops everything that was started. */
  close(): Promise<void>;
}

const REMOVE_OLD_ENTRIES_EVERY_MS = 3_600_000;
const WATCH_AUDIT_LOG_EVERY_MS = 1_000;

/** How long this node waits for others that may be dead; where it is left out, as long as their parts say. */
export interface Patience {
  /** For so long they may be silent. */
  readonly deadAfterMs?: number;
  /** The lease of the authorizations that they capture. */
  readonly captureLeaseMs?: number;
  /** The lease of the webhooks that they send. */
  readonly webhooksLeaseMs?: number;
}

/** For measurements and trials only: other kinds of processors, another grouping of the journal's writes, another journal, or something in between. */
export interface Refitted extends Pick<JournalOptions, "mostRows" | "groupsInFlight"> {
  readonly kinds?: ProcessorKinds;
  readonly journal?: PostgresJournal;
  readonly refit?: (parts: Parts) => Parts;
  readonly refitTraceNumbers?: (store: TraceNumberStore) => TraceNumberStore;
  readonly patience?: Patience;
}

const asItIs = <T>(part: T): T => part;

/**
 * @param database instead of the one that the settings name: for tests
 * @throws StartFault with one line for the person who starts it
 */
export async function startGateway(
  settings: Settings,
  log: FastifyBaseLogger,
  refitted: Refitted = {},
  database?: Database,
): Promise<Gateway> {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return { ...(await start(settings, log, refitted, database, undo)), close };
  } catch (fault) {
    await close();
    throw fault;
  }
}

async function start(
  settings: Settings,
  log: FastifyBaseLogger,
  {
    kinds = PROCESSOR_KINDS,
    journal: instead,
    refit = asItIs,
    refitTraceNumbers = asItIs,
    patience = {},
    ...grouping
  }: Refitted,
  given: Database | undefined,
  undo: (() => Promise<unknown>)[],
): Promise<Omit<Gateway, "close">> {
  const live = settings.mode === "live";
  if (!live || settings.databaseUrl === undefined) prepareDataFolder(settings.dataFolder);
  const folderLock = live ? undefined : await lockFolder(settings.dataFolder);
  undo.push(async () => folderLock?.release());
  if (!live) readSandbox(settings.dataFolder);
  const database = given ?? (await openDatabase(settings, (line) => log.info(line)));
  undo.push(database.close);
  const { address, pool } = database;
  const { lookUps, slowReads, office: records, background, webhooks, close: closePools } = openPools(address);
  undo.push(closePools);
  await prepareTables(live, pool, log);
  const secret = settings.secret?.reveal() ?? dataFolderSecret(settings.dataFolder);
  await checkSecret(pool, secret);

  const masterKeys = masterKeysOf(settings);
  tellOfGroups(settings, log);

  const sandboxClock = live ? undefined : movableClock();
  sandboxClock?.moveAhead(await clockOffset(pool));
  const clock: Clock = sandboxClock ?? systemClock;
  const node = await registerNode(pool, clock.now());
  const journal = instead ?? openJournal({ address, pool, clock, node, ...grouping });
  undo.push(journal.close);
  const lookup = processorLookup(pool);
  const traceNumbers = refitTraceNumbers(openTraceNumbers(address, pool, node));
  undo.push(traceNumbers.close);
  const processorParts = { clock, log, chance: Math.random, traceNumbersOf: traceNumbers.of };
  const processors = processorsAtWork(lookup.processorsOf, kinds, processorParts, lookup.forget);
  undo.push(processors.close);
  const keyStore = dataKeyStore(pool, () => clock.now());
  const cardSettings = [...kinds.values()].flatMap(({ name, cardNumberSetting }) =>
    cardNumberSetting === undefined ? [] : [{ kind: name, setting: cardNumberSetting }],
  );
  await checkMasterKeys(pool, masterKeys, keyStore, cardSettings);
  const parts = refit({
    journal,
    processors,
    clock,
    chance: Math.random,
    newId,
    inFlight: inFlight(),
    retryQueue: retryQueue(),
    vault: masterKeys && vault(dataKeys(keyStore, masterKeys)),
    log,
  });
  const canSeal = masterKeys !== undefined;
  const auditKey = auditKeyOf(secret);
  const office = {
    sql: records,
    clock,
    mode: settings.mode,
    kinds,
    canSeal,
    auditKey: async () => auditKey,
    sealing: sealing(secret),
  };
  const time = sandboxClock && sandboxTime(parts, background, sandboxClock, patience.captureLeaseMs);
  const cardTesting = cardTestingWatch(secret, defaultCardTesting(settings.mode));
  await tellAuditLog(pool, auditKey, clock.now(), log);
  let started = false;
  const app = await buildServer({
    // What the gateway has to do of itself does not wait behind merchants' requests.
    parts: { ...parts, journal: intentsInTurn(parts.journal) },
    keys: idempotencyKeys(),
    lookUps,
    slowReads,
    log,
    secret,
    cardTesting,
    findCaller: tokenBySecret(lookUps, clock),
    findOperator: operatorBySecret(lookUps),
    office,
    time,
    notReady: () => (started ? undefined : "The gateway is starting."),
    processorsChanged: lookup.forget,
    rateLimitPerMinute: settings.rateLimitPerMinute,
    failedAuthenticationsPerMinute: settings.failedAuthenticationsPerMinute,
    trustProxy: settings.trustProxy,
  });
  // What was left open is resolved while requests are still taken and after the last was answered.
  const resolver = startResolver(
    parts,
    background,
    node,
    (end, at) => renderEnd("follow-up", end, at),
    patience.deadAfterMs,
  );
  undo.push(async () => {
    await resolver.stop();
    if (parts.inFlight.size === 0) await signOff(background, node);
  });
  const exchange = startCardTestingExchange(parts, cardTesting, background, node);
  undo.push(exchange.stop);
  const held = patience.webhooksLeaseMs === undefined ? {} : { leaseMs: patience.webhooksLeaseMs };
  const represent = async (transaction: Transaction, at: Date) => {
    const atWork = await processors.find(transaction.merchantId, chargeOf(transaction).processorId);
    return representTransaction(transaction, termsOf(atWork), at);
  };
  undo.push(startWebhooks({ ...office, ...held, sql: webhooks, log, chance: Math.random, represent }).stop);
  const dueWork = startDueWork(parts, background, patience.captureLeaseMs);
  const oldEntries = every(REMOVE_OLD_ENTRIES_EVERY_MS, log, async () =>
    (await removeOldEntries(background, auditKey, clock.now())) ? "at once" : "pause",
  );
  undo.push(oldEntries.stop);
  const audit = auditWatch(background, auditKey, () => clock.now());
  const watching = every(WATCH_AUDIT_LOG_EVERY_MS, log, async () => {
    tellBroken(log, await audit.next());
    return "pause";
  });
  undo.push(watching.stop);
  undo.push(() => Promise.all([dueWork.stop(), time?.stop()]));
  const doors = doorsOf(app);
  undo.push(() => Promise.all([app.close(), doors.close()]));
  const url = await listen(doors, settings);
  folderLock?.listensOn(url);
  const sandbox = live ? undefined : await prepareSandbox(office, settings.dataFolder, url);
  started = true;
  return { url, dataPlace: database.place, sandbox };
}

function tellOfGroups(settings: Settings, log: FastifyBaseLogger): void {
  const secret = settings.secret === undefined ? secretFile(settings.dataFolder) : undefined;
  for (const file of [secret, masterKeyFile(settings)])
    if (file !== undefined && groupMayUse(file)) log.warn({ file }, "a group may read or change this key file");
}

/** Charges go on whatever became of the audit log; changes by operators do not. */
async function tellAuditLog(pool: Sql, key: AuditKey, now: Date, log: FastifyBaseLogger): Promise<void> {
  try {
    const { begun, last, hash } = await openChain(pool, key, now);
    log.info({ begun, last, hash }, "the audit log as it stands");
    tellBroken(log, await checkNewest(pool, key, now));
  } catch (fault) {
    if (!(fault instanceof AuditLogBroken)) throw fault;
    log.error({ fault: fault.message }, "the audit log is not what was written: run faregate audit verify");
  }
}

function tellBroken(log: FastifyBaseLogger, finding: string | undefined): void {
  if (finding !== undefined)
    log.error({ finding }, "the audit log is not what was written, and no change is taken: run faregate audit verify");
}

async function prepareTables(
  live: boolean,
  pool: Parameters<typeof migrate>[0],
  log: FastifyBaseLogger,
): Promise<void> {
  if (!live) {
    await migrate(pool, (line) => log.info(line));
    return;
  }
  // Live mode creates nothing by itself.
  const missing = await missingMigrations(pool);
  if (missing.length > 0) throw new StartFault(`The database lacks ${missing.join(", ")}. Run: npx faregate migrate`);
}

async function listen(doors: Doors, { host, port }: Settings): Promise<string> {
  try {
    return await doors.listen({ host, port });
  } catch (fault) {
    const code = fault instanceof Error && "code" in fault ? String(fault.code) : "";
    const where = `${host}:${port}`;
    if (code === "EADDRINUSE")
      throw new StartFault(
        `Port ${port} of ${host} is in use. Stop what listens there, or choose another: PORT=8081 npm start`,
      );
    if (code === "EACCES")
      throw new StartFault(`This user may not listen on ${where}. Choose a port from 1024 up: PORT=8080`);
    throw new StartFault(`Cannot listen on ${where}: ${reasonOf(fault)}. Look at HOST and PORT.`);
  }
}
