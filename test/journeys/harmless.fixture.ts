// What holds for every answer, whatever was sent: it comes in time, is no fault of the gateway's, has the documented shape,
// gives nothing away, and an error leaves nothing stored.

import assert from "node:assert/strict";
import type { Sql } from "../../src/journal/database.ts";
import type { Gateway } from "./merchant.fixture.ts";

/** A card number and a CVV that nothing but a leak can put into an answer. */
export const SECRET_CARD = "4929939187355598";
export const SECRET_CVV = "9713";

const DEADLINE_MS = 5_000;

export interface Sent {
  readonly method: string;
  /** With its query; as it goes over the wire. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
}

export interface Received {
  readonly status: number;
  readonly headers: string;
  readonly text: string;
}

/** With the sandbox's API token unless the headers have another. */
export async function send(gateway: Gateway, { method, path, headers, body }: Sent): Promise<Received> {
  const response = await fetch(gateway.url + path, {
    method,
    headers: { authorization: `Bearer ${gateway.sandbox.api_token}`, ...headers },
    body: body ?? null,
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const text = await response.text();
  return { status: response.status, headers: [...response.headers].flat().join("\n"), text };
}

/** Sends it, and fails where anything of the above does not hold. For use by one at a time: it counts rows. */
export async function sendHarmlessly(gateway: Gateway, sent: Sent): Promise<Received> {
  const before = await stored(gateway.pool);
  const received = await send(gateway, sent);
  const { status, text } = received;
  assert.ok(status < 500 || status === 503, `${status}: ${text}`);
  if (status >= 400 && sent.method !== "HEAD") assertErrorShape(received);
  assertNothingGivenAway(received);
  if (status !== 200 && status !== 202 && status !== 503) assert.deepEqual(await stored(gateway.pool), before, text);
  return received;
}

/** How many rows there are of what a request may leave behind. */
export async function stored(pool: Sql): Promise<Readonly<Record<string, number>>> {
  const [counts = {}] = await pool<Record<string, number>[]>`
    select (select count(*) from transactions)::int as transactions, (select count(*) from events)::int as events,
      (select count(*) from outcomes)::int as outcomes, (select count(*) from unresolved)::int as unresolved,
      (select count(*) from idempotency_keys)::int as keys, (select count(*) from idempotency_answers)::int as answers,
      (select count(*) from cards)::int as cards`;
  return { ...counts };
}

/** Decisions 3. */
export function assertErrorShape({ status, text, headers }: Received): void {
  assert.match(headers, /application\/json; charset=utf-8/);
  const body = JSON.parse(text);
  assert.deepEqual(Object.keys(body), ["error", "debug"], text);
  assert.deepEqual(body.debug, [], text);
  assert.deepEqual(Object.keys(body.error), ["status", "code", "message"], text);
  assert.equal(body.error.status, status, text);
  const messages = Object.values<readonly unknown[]>(body.error.message);
  assert.ok(messages.length > 0, text);
  for (const texts of messages) {
    assert.ok(Array.isArray(texts) && texts.length > 0, text);
    for (const one of texts) assert.ok(typeof one === "string" && one.length > 3, text);
  }
}

const INSIDES =
  /\.ts:\d|node_modules|\/src\/|\bat \S+ \(|\bselect\b.+\bfrom\b|insert into|postgres|relation \\?"|syntax error at|\/home\/|\/tmp\/|sqlstate|ECONN|TypeError/i;
/** Numbers of audit entries come to this one, too. */
const ENTRY_IDS = /"id":"\d+"|before=\d+/g;
const UUIDS = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export function assertNothingGivenAway({ status, text, headers }: Received): void {
  const all = `${headers}\n${text}`.replaceAll(UUIDS, "").replaceAll(ENTRY_IDS, "");
  assert.ok(!all.includes(SECRET_CARD), all.slice(0, 2_000));
  assert.doesNotMatch(all, new RegExp(`\\b${SECRET_CVV}\\b|card_cvv"?: ?"?${SECRET_CVV}`));
  if (status >= 400) assert.doesNotMatch(all, INSIDES);
}
