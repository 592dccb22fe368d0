// Airline data over HTTP (specification 4.3 and 4.5): whatever passengers, legs and follow-ups there are, each passenger's
// money is counted apart, and all of it together is the transaction's.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import {
  type Account,
  accountsOf,
  airlineBodies,
  airlineCharge,
  amountOf,
  enter,
  faresOfPassengers,
  leftFor,
  type Step,
  steps,
  sumOf,
} from "./airline.fixture.ts";
import { startTestGateway, told } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  money,
  passenger,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";
import { holdsFor } from "./seeded.fixture.ts";

interface Shown {
  readonly id: string;
  readonly events: readonly { readonly event_type: string; readonly amount: string; readonly success: boolean }[];
  readonly passengers: readonly { readonly id: string; readonly totals: Readonly<Record<string, string>> }[];
  readonly actions: Readonly<Record<string, { readonly allowed: boolean; readonly amount?: string }>>;
}

const minor = (amount: string | undefined): number => Math.round(Number(amount ?? "0") * 100);

describe("airline data", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  /** Sends the step; the book says whether it may be done, and is brought up to date if so. */
  async function take(step: Step, shown: Shown, accounts: readonly Account[]): Promise<Shown> {
    const { follow, found } = merchantOf(gateway);
    if (step.type === "reversal") {
      const answer = await follow(shown.id, "reversal");
      const amounts = accounts.map((account) => leftFor("void", account));
      assert.equal(told(answer), sumOf(amounts) > 0 ? "200" : "422 base", answer.text);
      for (const [index, account] of accounts.entries()) enter("void", account, amounts[index] ?? 0);
      return found(shown.id);
    }
    const shares = accounts.flatMap((account, index) => {
      const share = step.shares[index];
      const left = leftFor(step.type, account);
      const amount = share === undefined ? 0 : amountOf(share, left);
      return amount > 0 ? [{ account, index, amount, allowed: amount <= left }] : [];
    });
    const answer = await follow(shown.id, step.type, {
      amount: money(sumOf(shares.map(({ amount }) => amount))),
      passenger_transport: shares.map(({ index, amount }) => ({
        passenger_id: shown.passengers[index]?.id,
        amount: money(amount),
      })),
    });
    const allowed = shares.length > 0 && shares.every((share) => share.allowed);
    assert.equal(answer.status, allowed ? 200 : 422, `${JSON.stringify(step)} ${answer.text}`);
    if (!allowed) return shown;
    for (const { account, amount } of shares) enter(step.type, account, amount);
    return answer.body;
  }

  /** The transaction shows what the book says, for each passenger, in sum, and of what is possible now. */
  function assertAgrees(shown: Shown, accounts: readonly Account[]): void {
    for (const [index, { authorized, captured, voided, refunded }] of accounts.entries()) {
      const totals = { authorized, captured, voided, refunded };
      const expected = Object.fromEntries(Object.entries(totals).map(([name, amount]) => [name, money(amount)]));
      assert.deepEqual(shown.passengers[index]?.totals, expected);
      assert.ok(captured <= authorized && refunded <= captured && voided <= authorized);
    }
    const ofEvents = (...types: string[]) =>
      sumOf(
        shown.events
          .filter((event) => event.success && types.includes(event.event_type))
          .map((one) => minor(one.amount)),
      );
    const ofPassengers = (name: string) => sumOf(shown.passengers.map(({ totals }) => minor(totals[name])));
    assert.deepEqual(["authorized", "captured", "voided", "refunded"].map(ofPassengers), [
      ofEvents("sale", "auth"),
      ofEvents("sale", "capture"),
      ofEvents("void"),
      ofEvents("refund"),
    ]);
    for (const type of ["capture", "void", "refund", "reversal"] as const) {
      const left = sumOf(accounts.map((account) => leftFor(type, account)));
      assert.equal(minor(shown.actions[type]?.amount), left, `${type} ${JSON.stringify(shown.actions)}`);
    }
  }

  test("after any follow-ups each passenger has what is his, and all of it is the transaction's", async (t) => {
    const { charged, found } = merchantOf(gateway);
    const stories = fc.record({ type: fc.constantFrom("auth", "auth", "sale"), fares: faresOfPassengers, steps });
    await holdsFor(t, 100, stories, async (story) => {
      let shown: Shown = await charged(story.type, airlineCharge(story.fares));
      const accounts = accountsOf(story.type, story.fares);
      assertAgrees(shown, accounts);
      for (const step of story.steps) {
        shown = await take(step, shown, accounts);
        assertAgrees(shown, accounts);
      }
      assert.deepEqual(await found(shown.id), shown, "the answers were the bare transaction as it stands");
    });
  });

  test("a void of what one passenger captured leaves the others what they have yet to capture", async () => {
    const { charged, follow } = merchantOf(gateway);
    const { id, passengers } = await charged("auth", airlineCharge([[10_000], [10_000]]));
    const of = (index: number, amount: string) => ({
      amount,
      passenger_transport: [{ passenger_id: passengers[index].id, amount }],
    });
    expectStatus(await follow(id, "capture", of(0, "100.00")), 200);
    const voided = expectStatus(await follow(id, "void", of(0, "100.00")), 200).body;
    assert.deepEqual(
      voided.events.map((event: { event_type: string; status: string }) => [event.event_type, event.status]),
      [
        ["void", "voided"],
        ["capture", "voided"],
        ["auth", "authorized"],
      ],
    );
    expectStatus(await follow(id, "capture", of(1, "100.00")), 200);
    assert.equal(told(await follow(id, "refund", of(0, "0.01"))), "422 passenger_transport.0.amount");
    expectStatus(await follow(id, "refund", of(1, "100.00")), 200);
  });

  test("one request means the same as JSON, as a form and as multipart", async (t) => {
    await holdsFor(t, 30, airlineBodies, async (body) => {
      const shown = [];
      for (const format of ["json", "form", "multipart"]) {
        const answer = await gateway.call("POST", "/api/transactions/auth", {
          [format]: { ...body, processor_id: gateway.sandbox.processors.usd },
        });
        shown.push(withoutIds(transactionOf(expectStatus(answer, 200))));
      }
      assert.deepEqual(shown[1], shown[0]);
      assert.deepEqual(shown[2], shown[0]);
      const sent = body.passenger_transport as readonly Json[];
      assert.deepEqual(shown[0]?.passengers, sent.map(asShown));
    });
  });

  test("a hundred passengers with twenty legs each travel in one request, and are captured in one", async () => {
    const { charged, follow } = merchantOf(gateway);
    const legs = Array.from({ length: 20 }, () => leg({ fare: "1.25" }));
    const body = sale({
      amount: "2500.00",
      passenger_transport: Array.from({ length: 100 }, () => passenger({ legs })),
    });
    const { id, passengers } = await charged("auth", body);
    assert.deepEqual([passengers.length, passengers[99].legs.length], [100, 20]);
    const shares = passengers.map((one: { id: string }) => ({ passenger_id: one.id, amount: "25.00" }));
    const captured = expectStatus(await follow(id, "capture", { amount: "2500.00", passenger_transport: shares }), 200);
    assert.equal(captured.body.passengers[99].totals.captured, "25.00");
  });

  test("in a form, where every field repeats the way to it, they travel until the body has 1 MiB", async () => {
    const group = (legs: number) =>
      sale({
        amount: money(100 * legs * 125),
        passenger_transport: Array.from({ length: 100 }, () =>
          passenger({ legs: Array.from({ length: legs }, () => leg({ fare: "1.25" })) }),
        ),
      });
    for (const [format, most] of [
      ["form", 17],
      ["multipart", 9],
    ] as const) {
      expectStatus(await gateway.call("POST", "/api/transactions/auth", { [format]: group(most) }), 200);
      assert.equal(
        told(await gateway.call("POST", "/api/transactions/auth", { [format]: group(most + 2) })),
        "413 base",
      );
    }
  });
});

/** Ids and times differ from one charge to the next; what follows from an id (the simulator's response) does too. */
function withoutIds(value: unknown): Json {
  const differs = [
    "id",
    "created_at",
    "updated_at",
    "processor_transaction_id",
    "auth_code",
    "until",
    "uncertain_from",
    "from",
  ];
  return JSON.parse(JSON.stringify(value, (name, inner) => (differs.includes(name) ? undefined : inner)));
}

const asShown = (sent: Json) => {
  const fares = (sent.legs as readonly Json[]).map((one) => minor(one.fare as string));
  return { ...sent, totals: { authorized: money(sumOf(fares)), captured: "0.00", voided: "0.00", refunded: "0.00" } };
};
