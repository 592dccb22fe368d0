// Webhook endpoints as the operator sees them: created, listed, changed, deleted. A secret is shown when it is made, and
// never again.

import { isDeepStrictEqual } from "node:util";
import type { Sql } from "../journal/database.ts";
import { count, flag, instant, orNull, rowReader, text, texts } from "../journal/rows.ts";
import type { Query, TransactionSql } from "../journal/sql/sql.ts";
import { audited } from "../merchants/audit.ts";
import {
  type Author,
  type Backoffice,
  type Conflict,
  type Done,
  done,
  type Existed,
  type Invalid,
  invalid,
  limitOf,
  type Page,
  startOf,
  type Unknown,
  unknown,
} from "../merchants/backoffice.ts";
import { createdBefore, idFor, problemsOfGivenId, takenId } from "../merchants/given-id.ts";
import { findMerchant } from "../merchants/merchants.ts";
import type { Mode } from "../settings.ts";
import { isUuid } from "../uuid.ts";
import { timestamp } from "../validation/fields.ts";
import { noProblems, type Problems, problemsOf } from "../validation/problems.ts";
import { type CreatedWebhook, NewWebhook, type Webhook, WebhookChange } from "./endpoint-schema.ts";
import { newSecret, type Sealing, showSecret } from "./secrets.ts";
import { targetOf, URL_MUST_BE } from "./targets.ts";

/** Each is a row more with every event. */
const MOST_ENDPOINTS = 16;
/** After a rotation both secrets sign for this long. */
const BOTH_SIGN_MS = 24 * 3_600_000;

export interface SealingOffice extends Backoffice {
  readonly sealing: Sealing;
}

/**
 * With an entry in the audit log. The secret shows this once: an endpoint that was created before is shown without it. One that was deleted
 * is created anew, with a new secret.
 */
export async function createWebhook(
  office: SealingOffice,
  author: Author,
  merchantId: string,
  input: unknown,
): Promise<Done<CreatedWebhook> | Existed<Webhook> | Conflict | Invalid | Unknown> {
  const merchant = await findMerchant(office.sql, merchantId);
  if (merchant === undefined) return unknown("merchant", merchantId);
  const problems = problemsOfGivenId(problemsOfTarget(office.mode, problemsOf(NewWebhook, input), input), input);
  if (!noProblems(problems)) return invalid(problems);
  const { url, event_types = null, enabled = true, ...given } = input as NewWebhook;
  const [now, secret] = [office.clock.now(), newSecret()];
  const id = idFor("webhook", merchant.id, given, now);
  const row: EndpointRow = {
    merchant_id: merchant.id,
    id,
    url,
    event_types,
    enabled,
    disabled_reason: null,
    previous_until: null,
    created_at: now,
    updated_at: now,
  };
  return audited<Done<CreatedWebhook> | Existed<Webhook> | Conflict | Invalid>(office, author, async (sql) => {
    await sql`select 1 from merchants where id = ${merchant.id} for update`;
    const [there] = await sql`
      select ${sql.unsafe(COLUMNS)}, deleted_at is not null as deleted from webhook_endpoints where id = ${id}`;
    if (there !== undefined) {
      const before = show(endpointRow(there));
      if (before.merchant_id !== merchant.id) return { result: invalid(takenId("webhook")) };
      if (there.deleted !== true)
        return { result: createdBefore("webhook", before, { id, url, event_types, enabled }) };
      // What it was still to be told was deleted with it.
      await sql`delete from webhook_deliveries where merchant_id = ${merchant.id} and endpoint_id = ${id}`;
      await sql`delete from webhook_endpoints where merchant_id = ${merchant.id} and id = ${id}`;
    }
    const [counted] = await sql`
      select count(*)::int as there from webhook_endpoints
      where merchant_id = ${merchant.id} and deleted_at is null`;
    if (count(counted?.there) >= MOST_ENDPOINTS)
      return { result: invalid({ base: [`A merchant has at most ${MOST_ENDPOINTS} webhooks.`] }) };
    await sql`insert into webhook_endpoints ${sql({ ...row, secret: office.sealing.seal(secret, id) })}`;
    const webhook = show(row);
    return {
      result: done({ ...webhook, secret: showSecret(secret) }),
      entry: { action: "webhook.create", subject: ["webhook", id], after: webhook },
    };
  });
}

/** What is named is changed. To enable it takes away why the gateway disabled it. */
export async function changeWebhook(
  office: Backoffice,
  author: Author,
  id: string,
  input: unknown,
): Promise<Done<Webhook> | Invalid | Unknown> {
  const problems = problemsOfTarget(office.mode, problemsOf(WebhookChange, input), input);
  if (!noProblems(problems)) return invalid(problems);
  if (!isUuid(id)) return unknown("webhook", id);
  const change = input as WebhookChange;
  return audited<Done<Webhook> | Unknown>(office, author, async (sql) => {
    const found = await lockEndpoint(sql, id, sql`deleted_at is null`);
    if (found === undefined) return { result: unknown("webhook", id) };
    const row = endpointRow(found);
    const { url = row.url, event_types = row.event_types, enabled = row.enabled } = change;
    const wanted = { url, event_types, enabled, disabled_reason: enabled ? null : row.disabled_reason };
    const before = show(row);
    if (isDeepStrictEqual({ ...row, ...wanted }, { ...row })) return { result: done(before) };
    const updated = { ...row, ...wanted, updated_at: office.clock.now() };
    await sql`
      update webhook_endpoints set ${sql({ ...wanted, updated_at: updated.updated_at })}
      where merchant_id = ${row.merchant_id} and id = ${row.id}`;
    const after = show(updated);
    return { result: done(after), entry: { action: "webhook.change", subject: ["webhook", row.id], before, after } };
  });
}

/** A new secret. The one before it goes on signing beside it for a day. */
export async function rotateSecret(
  office: SealingOffice,
  author: Author,
  id: string,
): Promise<Done<CreatedWebhook> | Unknown> {
  if (!isUuid(id)) return unknown("webhook", id);
  const secret = newSecret();
  return audited<Done<CreatedWebhook> | Unknown>(office, author, async (sql) => {
    const found = await lockEndpoint(sql, id, sql`deleted_at is null`);
    if (found === undefined) return { result: unknown("webhook", id) };
    const row = endpointRow(found);
    const now = office.clock.now();
    const changed = { previous_until: new Date(now.getTime() + BOTH_SIGN_MS), updated_at: now };
    await sql`
      update webhook_endpoints
      set ${sql({ ...changed, secret: office.sealing.seal(secret, row.id) })}, previous_secret = secret
      where merchant_id = ${row.merchant_id} and id = ${row.id}`;
    const [before, after] = [show(row), show({ ...row, ...changed })];
    return {
      result: done({ ...after, secret: showSecret(secret) }),
      entry: { action: "webhook.change", subject: ["webhook", row.id], before, after },
    };
  });
}

/** Done by the gateway itself, with a note for the operator. @returns false if it was disabled already */
export async function disableWebhook(
  office: Pick<Backoffice, "sql" | "clock" | "auditKey">,
  id: string,
  reason: string,
): Promise<boolean> {
  return audited(office, GATEWAY, async (sql) => {
    const found = await lockEndpoint(sql, id, sql`enabled`);
    if (found === undefined) return { result: false };
    const row = endpointRow(found);
    const change = { enabled: false, disabled_reason: reason, updated_at: office.clock.now() };
    await sql`
      update webhook_endpoints set ${sql(change)} where merchant_id = ${row.merchant_id} and id = ${row.id}`;
    const [before, after] = [show(row), show({ ...row, ...change })];
    return { result: true, entry: { action: "webhook.change", subject: ["webhook", row.id], before, after } };
  });
}

const GATEWAY: Author = { actor: "gateway", source: "delivery of webhooks" };

/** What it was still to be told goes with it, in portions (webhooks.ts). */
export async function deleteWebhook(office: Backoffice, author: Author, id: string): Promise<Done<Webhook> | Unknown> {
  if (!isUuid(id)) return unknown("webhook", id);
  return audited<Done<Webhook> | Unknown>(office, author, async (sql) => {
    const found = await lockEndpoint(sql, id, sql`deleted_at is null`);
    if (found === undefined) return { result: unknown("webhook", id) };
    const row = endpointRow(found);
    await sql`
      update webhook_endpoints set enabled = false, deleted_at = ${office.clock.now()}
      where merchant_id = ${row.merchant_id} and id = ${row.id}`;
    const before = show(row);
    return { result: done(before), entry: { action: "webhook.delete", subject: ["webhook", row.id], before } };
  });
}

/** Rows are locked where their merchant's are. */
async function lockEndpoint(sql: TransactionSql, id: string, condition: Query<object>) {
  const [place] = await sql<{ merchant_id: string }[]>`select merchant_id from webhook_endpoints where id = ${id}`;
  if (place === undefined) return undefined;
  const [row] = await sql`
    select ${sql.unsafe(COLUMNS)} from webhook_endpoints
    where merchant_id = ${place.merchant_id} and id = ${id} and ${condition} for update`;
  return row;
}

/** Undefined where there is no such merchant. */
export async function listWebhooks(sql: Sql, merchantId: string, page: Page = {}): Promise<Webhook[] | undefined> {
  if ((await findMerchant(sql, merchantId)) === undefined) return undefined;
  const rows = await sql`
    select ${sql.unsafe(COLUMNS)} from webhook_endpoints
    where merchant_id = ${merchantId} and id > ${startOf(page)} and deleted_at is null order by id limit ${limitOf(page)}`;
  return rows.map((row) => show(endpointRow(row)));
}

/** As it is shown; undefined where there is none. */
export async function findWebhook(sql: Sql, id: string): Promise<Webhook | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await sql`select ${sql.unsafe(COLUMNS)} from webhook_endpoints where id = ${id} and deleted_at is null`;
  return row && show(endpointRow(row));
}

function problemsOfTarget(mode: Mode, problems: Problems, input: unknown): Problems {
  if (problems.base !== undefined) return problems;
  const { url } = input as { readonly url?: unknown };
  const wrong = "url" in problems ? url !== undefined : typeof url === "string" && targetOf(url, mode) === undefined;
  return wrong ? { ...problems, url: [`must be ${URL_MUST_BE[mode]}`] } : problems;
}

/** All but the secrets. */
const COLUMNS = "merchant_id, id, url, event_types, enabled, disabled_reason, previous_until, created_at, updated_at";

interface EndpointRow {
  readonly merchant_id: string;
  readonly id: string;
  readonly url: string;
  readonly event_types: string[] | null;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly previous_until: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const endpointRow = rowReader<EndpointRow>("webhook_endpoints", {
  merchant_id: text,
  id: text,
  url: text,
  event_types: orNull(texts),
  enabled: flag,
  disabled_reason: orNull(text),
  previous_until: orNull(instant),
  created_at: instant,
  updated_at: instant,
});

const show = ({ previous_until, created_at, updated_at, ...rest }: EndpointRow): Webhook => ({
  ...rest,
  previous_secret_until: previous_until && timestamp(previous_until),
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at),
});
