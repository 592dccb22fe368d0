// The outbox: what is due, leased to one node at a time, and what became of it.

import type { Clock } from "../clock.ts";
import { arrayOf } from "../journal/columns.ts";
import type { Sql } from "../journal/database.ts";
import { databaseNow, leaseEnd, unleased } from "../journal/lease.ts";
import { amongThoseThere } from "../journal/merchants-there.ts";
import { bytes, count, instant, orNull, rowReader, text } from "../journal/rows.ts";
import { NIL_UUID } from "../uuid.ts";

export interface Endpoint {
  readonly merchantId: string;
  readonly id: string;
  readonly url: string;
  /** Sealed. */
  readonly secret: Buffer;
  /** Sealed; null if it does not sign any more. */
  readonly previousSecret: Buffer | null;
}

export interface Delivery {
  readonly id: string;
  readonly type: string;
  /** Null: it is a ping, or tells of a plan. */
  readonly transactionId: string | null;
  /** Null: it tells of no dispute. */
  readonly disputeId: string | null;
  /** Null: it tells of no plan. */
  readonly planId: string | null;
  /** Of the event, or the number of the report about the dispute, or of what was told of the plan. */
  readonly sequence: number;
  readonly occurredAt: Date;
  /** Before this one. */
  readonly attempts: number;
}

export interface Outbox {
  /**
   * Enabled endpoints for which something is due and not leased, except for these, and those of merchants whose worker is away. Each time it goes on behind the last
   * that was found, so that each has its turn where there are more than may be found at once.
   */
  due(but: readonly string[], most: number): Promise<readonly Endpoint[]>;
  /** As it is now; undefined if it is not enabled any more. */
  find(endpoint: Endpoint): Promise<Endpoint | undefined>;
  /**
   * In the order in which they fell due. Nobody else gets these before the lease has passed, nor what else tells
   * of their transactions.
   */
  lease(endpoint: Endpoint, most: number, leaseMs: number): Promise<readonly Delivery[]>;
  /** The lease begins anew. */
  renew(endpoint: Endpoint, deliveries: readonly Delivery[], leaseMs: number): Promise<void>;
  delivered(endpoint: Endpoint, delivery: Delivery, answer: string): Promise<void>;
  again(endpoint: Endpoint, delivery: Delivery, answer: string, dueAt: Date): Promise<void>;
  /** @returns false if another node had brought it to its end: that one was asked later */
  givenUp(endpoint: Endpoint, delivery: Delivery, answer: string): Promise<boolean>;
  /** Untouched. */
  release(endpoint: Endpoint, deliveries: readonly Delivery[]): Promise<void>;
  /** It turned out that there is nothing to tell. */
  drop(endpoint: Endpoint, delivery: Delivery): Promise<void>;
}

const endpointRow = rowReader<Endpoint>("webhook_endpoints", {
  merchantId: text,
  id: text,
  url: text,
  secret: bytes,
  previousSecret: orNull(bytes),
});

const dueRow = rowReader<Delivery & { readonly dueAt: Date }>("webhook_deliveries", {
  id: text,
  type: text,
  transactionId: orNull(text),
  disputeId: orNull(text),
  planId: orNull(text),
  sequence: count,
  occurredAt: instant,
  attempts: count,
  dueAt: instant,
});

export function outboxOf(sql: Sql, clock: Clock): Outbox {
  // A node that was paused for longer than its lease may still tell of an attempt that came to nothing.
  const open = sql`and ended_at is null`;
  const ended = async (endpoint: Endpoint, { id }: Delivery, answer: string, delivered: boolean) => {
    const now = clock.now();
    const { count: rows } = await sql`
      update webhook_deliveries
      set due_at = null, taken_until = null, attempts = attempts + 1, attempted_at = ${now}, answer = ${answer},
        ended_at = ${now}, delivered = ${delivered}
      where merchant_id = ${endpoint.merchantId} and endpoint_id = ${endpoint.id} and id = ${id}
        ${delivered ? sql`` : open}`;
    return rows === 1;
  };
  let after = NIL_UUID;
  const columns = () => sql`e.merchant_id as "merchantId", e.id, e.url, e.secret,
    case when e.previous_until > ${clock.now()} then e.previous_secret end as "previousSecret"`;
  return {
    due: async (but, most) => {
      // The look into the index of what is due is one for each endpoint, however much that is.
      const found = await amongThoseThere(
        sql,
        (among) => sql`
        select ${columns()} from webhook_endpoints e
        cross join lateral (select from webhook_deliveries d where d.merchant_id = e.merchant_id and d.endpoint_id = e.id
          and d.due_at <= ${clock.now()} and ${unleased(sql, databaseNow(sql))} and ${among.of("d.merchant_id")} limit 1) due
        where e.enabled and e.id > ${after} and not e.id = any(${arrayOf(sql, "uuid", but)}) and ${among.of("e.merchant_id")}
        order by e.id limit ${most}`,
      );
      const endpoints = found.map(endpointRow);
      after = (endpoints.length === most && endpoints.at(-1)?.id) || NIL_UUID;
      return endpoints;
    },
    find: async ({ merchantId, id }) => {
      const [endpoint] = await sql`
        select ${columns()} from webhook_endpoints e where e.merchant_id = ${merchantId} and e.id = ${id} and e.enabled`;
      return endpoint && endpointRow(endpoint);
    },
    lease: async ({ merchantId, id }, most, leaseMs) => {
      // One node at a time: what another is just leasing is not seen, and the rest of its transaction would be taken.
      // `is true` and `offset 0` leave the planner one look at each transaction; otherwise it reads all that the endpoint ever got.
      const rows = await sql`
        with endpoint as materialized (
          select from webhook_endpoints where merchant_id = ${merchantId} and id = ${id} and enabled
          for no key update skip locked
        ),
        free as materialized (
          select id from webhook_deliveries d
          where merchant_id = ${merchantId} and endpoint_id = ${id} and due_at <= ${clock.now()}
            and ${unleased(sql, databaseNow(sql))}
            and not exists (select from webhook_deliveries o
              where o.merchant_id = ${merchantId} and o.transaction_id = d.transaction_id
                and (o.endpoint_id = ${id} and o.taken_until > ${databaseNow(sql)}) is true offset 0)
            and exists (select from endpoint)
          order by due_at, sequence, id limit ${most} for update skip locked
        )
        update webhook_deliveries d set taken_until = ${leaseEnd(sql, databaseNow(sql), leaseMs)}
        where d.merchant_id = ${merchantId} and d.endpoint_id = ${id} and d.id = any(array(select id from free))
        returning d.id, d.type, d.transaction_id as "transactionId", d.dispute_id as "disputeId", d.plan_id as "planId", d.sequence, d.occurred_at as "occurredAt",
          d.attempts, d.due_at as "dueAt"`;
      return rows.map(dueRow).toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime() || a.sequence - b.sequence);
    },
    renew: async ({ merchantId, id }, deliveries, leaseMs) => {
      const ids = deliveries.map((delivery) => delivery.id);
      await sql`
        update webhook_deliveries set taken_until = ${leaseEnd(sql, databaseNow(sql), leaseMs)}
        where merchant_id = ${merchantId} and endpoint_id = ${id} and id = any(${arrayOf(sql, "uuid", ids)})
          and taken_until is not null`;
    },
    delivered: async (endpoint, delivery, answer) => void (await ended(endpoint, delivery, answer, true)),
    givenUp: (endpoint, delivery, answer) => ended(endpoint, delivery, answer, false),
    again: async ({ merchantId, id: endpointId }, { id }, answer, dueAt) => {
      await sql`
        update webhook_deliveries
        set due_at = ${dueAt}, taken_until = null, attempts = attempts + 1, attempted_at = ${clock.now()}, answer = ${answer}
        where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and id = ${id} ${open}`;
    },
    release: async ({ merchantId, id }, deliveries) => {
      const ids = deliveries.map((delivery) => delivery.id);
      await sql`
        update webhook_deliveries set taken_until = null
        where merchant_id = ${merchantId} and endpoint_id = ${id} and id = any(${arrayOf(sql, "uuid", ids)})`;
    },
    drop: async ({ merchantId, id: endpointId }, { id }) => {
      await sql`
        delete from webhook_deliveries
        where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and id = ${id}`;
    },
  };
}
