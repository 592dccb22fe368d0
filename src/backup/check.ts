// What a restored copy is worth: whether its keys open, its audit log is whole, its journal fits together, and what of the running
// database is not in it. Nothing is asked of the running database but to read. No processor hears of it.

import {
  type Approved,
  approvedAfter,
  approvedOf,
  type Contents,
  contentsOf,
  endedOf,
  inconsistenciesOf,
  openOperationsSince,
  operationsAfter,
  operationsBetween,
} from "../journal/backup-contents.ts";
import { dataKeyStore, listDataKeys } from "../journal/data-keys.ts";
import type { Sql } from "../journal/database.ts";
import { isDistributed } from "../journal/distribution.ts";
import { checkSecret } from "../journal/installation.ts";
import { migrate } from "../journal/migrate.ts";
import { sampleOfCards } from "../journal/sealed-cards.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { auditKeyOf } from "../merchants/audit-chain.ts";
import { entryHash, verifyAuditLog } from "../merchants/audit-verify.ts";
import { unopenedSecrets } from "../merchants/seal-records.ts";
import { renderSigned } from "../payment/money.ts";
import { StartFault } from "../start-fault.ts";
import { timestamp } from "../validation/fields.ts";
import { dataKeys } from "../vault/data-keys.ts";
import type { MasterKeys } from "../vault/master-key.ts";
import { CannotOpen } from "../vault/sealed-bytes.ts";
import { settingVault } from "../vault/setting-vault.ts";
import { vault } from "../vault/vault.ts";
import { BackupFault } from "./fault.ts";

export interface Keys {
  readonly secret: Buffer;
  readonly masterKeys: MasterKeys | undefined;
}

interface Money {
  readonly currency: string;
  readonly type: string;
  readonly operations: number;
  readonly amount: string;
}

export interface Checked {
  /** The newest moment that can be restored. Null: the copy says nothing. */
  readonly restored_until: string | null;
  readonly migrations_applied: readonly string[];
  readonly keys: {
    readonly data_keys: number;
    readonly cards_opened: number;
    readonly secrets_opened: number;
  };
  readonly audit: { readonly entries: number; readonly last: number; readonly hash: string };
  readonly journal: {
    readonly merchants: number;
    readonly transactions: number;
    readonly operations: number;
    readonly open: number;
    readonly newest_operation_at: string | null;
    readonly approved: readonly Money[];
  };
  /** If the running database were lost now. Null where it was not asked. */
  readonly would_be_lost: WouldBeLost | null;
  /** What is wrong. Empty: the backup can be relied on. */
  readonly findings: readonly string[];
}

export interface WouldBeLost {
  /** Null: the copy does not say from when it is. */
  readonly seconds: number | null;
  readonly operations: number;
  /** Operations that are in the copy, and whose outcome is not. */
  readonly outcomes: number;
  readonly approved: readonly Money[];
}

/**
 * @param copy may be written to
 * @param live is only read
 * @throws BackupFault if it is no copy of a gateway's database
 */
export async function checkCopy(
  copy: Sql,
  live: Sql | undefined,
  keys: Keys,
  say: (line: string) => void,
): Promise<Checked> {
  const migrations = await broughtUpToDate(copy, say);
  say("Opening the keys …");
  const opened = await openKeys(copy, keys);
  say("Verifying the audit log …");
  const auditKey = auditKeyOf(keys.secret);
  const { anchor, findings: tampered } = await verifyAuditLog(copy, auditKey);
  say("Reading the journal …");
  const contents = await contentsOf(copy);
  const approved = await approvedOf(copy, new Date(0), contents.newestOperationAt ?? new Date(0));
  const findings = [
    ...opened.findings,
    ...tampered.map((finding) => `audit log: ${finding}`),
    ...(await inconsistenciesOf(copy)).map((finding) => `journal: ${finding}`),
  ];
  const restoredUntil = latest(contents);
  const lost =
    live === undefined
      ? null
      : await live.begin("isolation level repeatable read read only", async (running) => {
          say("Comparing with the running database …");
          await running.unsafe("set local statement_timeout = 0");
          findings.push(...(await differencesOf(copy, running, contents)));
          if (anchor !== undefined && tampered.length === 0) findings.push(...(await otherLogOf(running, anchor)));
          return wouldBeLost(copy, running, contents, restoredUntil);
        });
  return {
    restored_until: restoredUntil === null ? null : restoredUntil.toISOString(),
    migrations_applied: migrations,
    keys: opened.keys,
    audit: { entries: (anchor?.last ?? 0) - (anchor?.removed ?? 0), last: anchor?.last ?? 0, hash: anchor?.hash ?? "" },
    journal: {
      ...{ merchants: contents.merchants, transactions: contents.transactions, operations: contents.operations },
      open: contents.open,
      newest_operation_at: contents.newestOperationAt && timestamp(contents.newestOperationAt),
      approved: approved.map(moneyOf),
    },
    would_be_lost: lost,
    findings,
  };
}

/** As a gateway does at its start, in the copy alone. */
async function broughtUpToDate(copy: Sql, say: (line: string) => void): Promise<readonly string[]> {
  const [row] = await copy<[{ there: boolean; citus: boolean }]>`
    select to_regclass('schema_migrations') is not null as there,
      exists (select from pg_extension where extname = 'citus') as citus`;
  if (!row.there) throw new BackupFault("The restored database has no tables of a gateway: is it the right database?");
  if (row.citus && (await isDistributed(copy)))
    throw new BackupFault(
      "The backup is of a distributed database, of which each server has its own: they cannot be checked singly.",
    );
  try {
    return (await migrate(copy, say)).applied;
  } catch (fault) {
    if (fault instanceof StartFault) throw new BackupFault(`The backup does not fit this version: ${fault.message}`);
    throw fault;
  }
}

const CARDS_OF_A_KEY = 1_000;

async function openKeys(copy: Sql, { secret, masterKeys }: Keys) {
  const findings: string[] = [];
  await checkSecret(copy, secret).catch((fault: unknown) => {
    if (!(fault instanceof StartFault)) throw fault;
    findings.push("the backup was made with another FAREGATE_SECRET");
  });
  const listed = await listDataKeys(copy);
  const given = masterKeys ?? NO_KEYS;
  for (const { id, masterKeyId } of listed)
    if (given.find(masterKeyId) === undefined)
      findings.push(`data key ${id} is wrapped by master key ${masterKeyId}, which was not given`);
  const keys = dataKeys(
    dataKeyStore(copy, () => new Date()),
    given,
  );
  const cards = vault(keys);
  let [opened, broken] = [0, 0];
  for (const { id } of listed)
    for (const card of await sampleOfCards(copy, id, CARDS_OF_A_KEY)) {
      const isOpen = await cards.open(card, card).then(() => true, isBroken);
      if (isOpen) opened++;
      else broken++;
    }
  if (broken > 0) findings.push(`${broken} of ${opened + broken} sealed card numbers cannot be opened`);
  const secrets = await unopenedSecrets(copy, settingVault(keys));
  for (const { processorId, name } of secrets.unopened)
    findings.push(`the secret ${name} of processor ${processorId} cannot be opened`);
  return { findings, keys: { data_keys: listed.length, cards_opened: opened, secrets_opened: secrets.opened } };
}

const NO_KEYS: MasterKeys = {
  current: () => {
    throw new Error("broken invariant: nothing is sealed by a check");
  },
  find: () => undefined,
  ids: () => [],
};

function isBroken(fault: unknown): false {
  if (fault instanceof CannotOpen) return false;
  throw fault;
}

function latest({ newestOperationAt, lastSeenAt, replayedUntil, now }: Contents): Date | null {
  // A sandbox's clock, by which operations are dated, runs ahead.
  const times = [newestOperationAt, lastSeenAt, replayedUntil].filter((at) => at !== null && at <= now);
  return times.length === 0 ? null : new Date(Math.max(...times.map((at) => Number(at))));
}

/** A gateway gives a write up after ten seconds, and gateways' clocks may differ. */
const IN_FLIGHT_MS = 5 * 60_000;
const before = (at: Date, ms: number): Date => new Date(at.getTime() - ms);

async function wouldBeLost(
  copy: Sql,
  live: TransactionSql,
  contents: Contents,
  restoredUntil: Date | null,
): Promise<WouldBeLost> {
  const newest = contents.newestOperationAt;
  const [{ now }] = await live<[{ now: Date }]>`select clock_timestamp() as now`;
  const seconds = restoredUntil && Math.max(0, (now.getTime() - restoredUntil.getTime()) / 1_000);
  const newer = await operationsAfter(live, newest);
  const approved = (await approvedAfter(live, newest)).map(moneyOf);
  if (newest === null) return { seconds, operations: newer, outcomes: 0, approved };
  const left = before(newest, IN_FLIGHT_MS);
  const here = new Set((await operationsBetween(copy, left, newest)).map(keyOf));
  const late = (await operationsBetween(live, left, newest)).filter((one) => !here.has(keyOf(one)));
  const outcomes = await endedOf(live, await openOperationsSince(copy, left), left);
  return { seconds, operations: late.length + newer, outcomes, approved };
}

const keyOf = ({ transaction, sequence }: { readonly transaction: string; readonly sequence: number }): string =>
  `${transaction}/${sequence}`;

const COMPARED_MS = 7 * 86_400_000;

/** What both have had for a while must come to the same money. */
async function differencesOf(
  copy: Sql,
  live: TransactionSql,
  { newestOperationAt: newest }: Contents,
): Promise<readonly string[]> {
  if (newest === null) return [];
  const [from, until] = [before(newest, COMPARED_MS), before(newest, IN_FLIGHT_MS)];
  const [ours, theirs] = [await approvedOf(copy, from, until), await approvedOf(live, from, until)];
  const sums = (all: readonly Approved[]) => new Map(all.map((one) => [`${one.type} ${one.currency}`, moneyOf(one)]));
  const [here, there] = [sums(ours), sums(theirs)];
  return [...new Set([...here.keys(), ...there.keys()])].flatMap((name) => {
    const [one, other] = [here.get(name), there.get(name)];
    if (one?.operations === other?.operations && one?.amount === other?.amount) return [];
    return [
      `journal: approved ${name} of the seven days before the backup: ${one?.operations ?? 0} for ${one?.amount ?? "0.00"} in the backup, ` +
        `${other?.operations ?? 0} for ${other?.amount ?? "0.00"} in the running database`,
    ];
  });
}

/** The copy's last entry must be in the running database's log. */
async function otherLogOf(
  live: TransactionSql,
  { last, hash }: { readonly last: number; readonly hash: string },
): Promise<string[]> {
  if (last === 0) return [];
  const theirs = await entryHash(live, last);
  if (theirs === hash || theirs === "removed") return [];
  return [
    theirs === undefined
      ? `audit log: entry ${last} is in the backup, and not in the running database`
      : `audit log: entry ${last} of the backup is another one in the running database: is it a backup of this database?`,
  ];
}

const moneyOf = ({ currency, type, operations, amount }: Approved): Money => ({
  ...{ currency, type, operations },
  amount: renderSigned(amount),
});
