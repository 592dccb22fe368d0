// What callers are told: each answer is that of an event on record, each refusal has its reason in the model, and a key has
// one operation and one answer.

import assert from "node:assert/strict";
import { OutcomeNotRecorded } from "../../src/gateway/carry-out.ts";
import type { Result } from "../../src/gateway/result.ts";
import { JournalUnavailable, JournalUncertain, type KeyClaim } from "../../src/journal/journal.ts";
import type { Refused } from "../../src/payment/refusal.ts";
import { inWords, mayLeadTo, mayRefuse } from "./explain.ts";
import type { Mirrored, MirroredEvent } from "./mirror.ts";
import type { SimulatedNode } from "./nodes.ts";
import type { Request } from "./requests.ts";

export interface Launched {
  readonly node: SimulatedNode;
  readonly request: Request;
  readonly claim: KeyClaim | null;
  /** Ends however the operation does. */
  readonly promise: Promise<void>;
  /** Undefined: its node was killed. */
  result: Result | { readonly kind: "thrown"; readonly fault: unknown } | undefined;
}

export interface Answers {
  /** All with a key so far, oldest first. */
  readonly keyed: readonly Launched[];
  newClaim(): KeyClaim;
  launched(node: SimulatedNode, request: Request, claim: KeyClaim | null, asked: Promise<Result>): Launched;
  check(launched: readonly Launched[], before: readonly Mirrored[], after: readonly Mirrored[], now: number): void;
}

/** @param coverage counts what was met, by name @param ours events that the gateway is to have made of itself */
export function answers(coverage: Map<string, number>, ours: ReadonlySet<string>): Answers {
  const keyed: Launched[] = [];
  const bodies = new Map<string, string>();
  const owners = new Map<string, Launched>();
  const meet = (what: string) => void coverage.set(what, (coverage.get(what) ?? 0) + 1);
  /** Operations of which nobody heard: their events are on record, or not. */
  let unheard = 0;

  const checkAnswer = (one: Launched, { response, replayed }: Result & { kind: "responded" }, step: Compared): void => {
    const { transaction, event: id, end } = JSON.parse(response.body) as Record<string, string>;
    meet(`${one.request.is} ${end}${replayed ? " again" : ""}`);
    const key = one.claim?.key;
    if (key !== undefined) {
      assert.equal(bodies.get(key) ?? response.body, response.body, "a key has one answer");
      bodies.set(key, response.body);
    }
    const [before, after] = [step.before, step.after].map((all) => all.find((model) => model.id === transaction));
    const event = after?.events.find((event) => event.id === id);
    assert.ok(after && event, "an answer is of an event on record");
    if (end !== "pending") assert.equal(event.outcome, end, "an answer is what is on record");
    if (replayed) return;
    assertIsOf(one.request, event, before, after, step.now);
    for (const { id } of operationOf(event, after)) {
      assert.ok(!owners.has(id), "an event is the answer to one request");
      owners.set(id, one);
    }
  };

  const checkRefusal = (one: Launched, { refusals }: Refused, step: Compared): void => {
    const [{ name }] = refusals;
    meet(name);
    const fields = refusals.map(({ field }) => field).join();
    if (name === "key-in-use" || name === "key-of-another-request") {
      const sameKey = [...keyed, ...step.launched].some(
        (other) => other !== one && other.claim?.key === one.claim?.key,
      );
      assert.ok(sameKey, `${name}, and nobody else has it`);
      return;
    }
    const { request } = one;
    if (request.is === "charge") {
      assert.equal(fields, request.refusedField, name);
      return;
    }
    const [before, after] = [step.before, step.after].map((all) => all.find(({ id }) => id === request.transactionId));
    assert.ok(after, name);
    const said = { status: name === "operation-in-flight" ? 409 : 422, fields };
    const wish = request.is === "reversal" ? "reversal" : request.wish;
    const right = mayRefuse(wish, said, before, after, step.now);
    assert.ok(right, `${name} on ${fields}: ${JSON.stringify(wish)} after ${inWords(after)}`);
  };

  return {
    keyed,
    newClaim: () => ({ key: `key ${keyed.length}`, requestHash: Buffer.from(`request ${keyed.length}`) }),
    launched: (node, request, claim, asked) => {
      const one: Launched = {
        node,
        request,
        claim,
        result: undefined,
        promise: settled(asked, (result) => (one.result = result)),
      };
      if (claim !== null) keyed.push(one);
      return one;
    },
    check: (launched, before, after, now) => {
      const step = { launched, before, after, now };
      for (const one of launched) {
        if (one.result === undefined) {
          assert.ok(one.node.doubtful, "every request of a living node is answered");
          unheard++;
          meet("killed");
        } else if (one.result.kind === "thrown") {
          assertDatabaseAway(one.result.fault);
          unheard++;
          meet("database away");
        } else if (one.result.kind === "refused") checkRefusal(one, one.result, step);
        else checkAnswer(one, one.result, step);
      }
      const orphans = after.flatMap(({ events }) =>
        events.filter(({ id, reversal, kind }) => !owners.has(id) && !ours.has(id) && !(reversal && kind === "refund")),
      );
      assert.ok(orphans.length <= unheard * MOST_TRIES, `${orphans.length} events that nobody asked for`);
    },
  };
}

interface Compared {
  readonly launched: readonly Launched[];
  readonly before: readonly Mirrored[];
  readonly after: readonly Mirrored[];
  readonly now: number;
}

/** A charge may have been tried at each of the processors of its currency. */
const MOST_TRIES = 4;

async function settled(
  asked: Promise<Result>,
  keep: (result: NonNullable<Launched["result"]>) => unknown,
): Promise<void> {
  try {
    keep(await asked);
  } catch (fault) {
    keep({ kind: "thrown", fault });
  }
}

function assertDatabaseAway(fault: unknown): void {
  if (fault instanceof OutcomeNotRecorded || fault instanceof JournalUnavailable || fault instanceof JournalUncertain)
    return;
  throw fault;
}

function operationOf(event: MirroredEvent, { events }: Mirrored): readonly MirroredEvent[] {
  if (event.kind === "sale" || event.kind === "auth") return events.filter(({ kind }) => kind === event.kind);
  const before = events[events.indexOf(event) - 1];
  const second = event.reversal && event.kind === "refund" && before?.kind === "void" && before.reversal;
  return second ? [before, event] : [event];
}

function assertIsOf(
  request: Request,
  event: MirroredEvent,
  before: Mirrored | undefined,
  after: Mirrored,
  now: number,
): void {
  if (request.is === "charge") {
    assert.equal(before, undefined, "a charge is a transaction of its own");
    assert.equal(request.refusedField, undefined);
    assert.deepEqual([event.kind, event.amount], [request.charge.type, Number(request.charge.amount)]);
    return;
  }
  assert.equal(after.id, request.transactionId);
  if (request.is === "reversal") {
    assert.ok(event.reversal || event.kind === "refund");
    return;
  }
  assert.equal(event.reversal, false);
  assert.equal(event.kind, request.wish.kind);
  assert.ok(
    mayLeadTo(request.wish, event, before, after, now),
    `${JSON.stringify(request.wish)} led to ${event.amount}`,
  );
}
