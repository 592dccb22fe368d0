// What a processor did to a charge by itself: told before the late success of that charge or after it, both are on record in the end, in
// whatever order they come. What it captured and named no passengers of, the merchant refunds to whom it names. Over real HTTP, with the toy
// kind.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { until } from "../receiver.ts";
import { startToyHost, type Told, type ToyHost } from "../toy/host.ts";
import { KINDS_WITH_TOY } from "../toy/kind.ts";
import { startTestGateway } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  passenger,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

interface Case {
  readonly type: "sale" | "auth";
  readonly made: readonly Omit<Told, "reference">[];
  readonly events: readonly string[];
  /** What may be captured and refunded in the end. */
  readonly left: readonly [capture: string | null, refund: string | null];
}

const SALE = "sale 100.00 true by processor";
const AUTH = "auth 100.00 true by processor";
const CASES: Readonly<Record<string, Case>> = {
  "a refund of a part": {
    type: "sale",
    made: [{ tells: "refunded", amount: 30_00 }],
    events: ["refund 30.00 true by processor", SALE],
    left: [null, "70.00"],
  },
  "a refund of all of it": {
    type: "sale",
    made: [{ tells: "refunded", amount: 100_00 }],
    events: ["refund 100.00 true by processor", SALE],
    left: [null, null],
  },
  "two refunds": {
    type: "sale",
    made: [
      { tells: "refunded", amount: 30_00 },
      { tells: "refunded", amount: 20_00 },
    ],
    events: ["refund 20.00 true by processor", "refund 30.00 true by processor", SALE],
    left: [null, "50.00"],
  },
  "a cancellation": {
    type: "auth",
    made: [{ tells: "canceled" }],
    events: [AUTH, "void 100.00 true by processor"],
    left: [null, null],
  },
  "an expiry": {
    type: "auth",
    made: [{ tells: "expired" }],
    events: [AUTH, "void 100.00 true by processor"],
    left: [null, null],
  },
  "a capture of a part": {
    type: "auth",
    made: [{ tells: "captured", amount: 40_00 }],
    events: [AUTH, "capture 40.00 true by processor"],
    left: ["60.00", "40.00"],
  },
  "a capture, and a refund of it": {
    type: "auth",
    made: [
      { tells: "captured", amount: 40_00 },
      { tells: "refunded", amount: 15_00 },
    ],
    events: [AUTH, "capture 40.00 true by processor", "refund 15.00 true by processor"],
    left: ["60.00", "25.00"],
  },
};

describe("what is made to a charge by itself", () => {
  let gateway: Gateway;
  let host: ToyHost;
  let processor_id: string;
  before(async () => {
    host = await startToyHost();
    gateway = await startTestGateway({ rateLimitPerMinute: 100_000 }, { kinds: KINDS_WITH_TOY });
    const settings = { base_url: host.url, secret: host.secret, timeout_ms: 2_000, inquiries: false };
    processor_id = await merchantOf(gateway).processor({ kind: "toy", settings });
  });
  after(async () => {
    await gateway.close();
    await host.close();
  });
  beforeEach(() => {
    for (const type of ["sale", "auth"]) host.conduct(type, "declines");
  });

  const tell = async (told: Told) => {
    const { headers, body } = host.message(told);
    const url = `${gateway.url}/notifications/${processor_id}`;
    const answer = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
    assert.equal(answer.status, 200);
    const waiting = async () => (await gateway.pool`select from waiting_notifications`).length;
    await until("all are applied", async () => (await waiting()) === 0);
  };
  const found = (id: string) => merchantOf(gateway).found(id);

  for (const [name, { type, made, events, left }] of Object.entries(CASES))
    for (const order of ["before", "after"] as const)
      test(`${name}, told ${order} the late success of a declined charge, is one of the transaction`, async () => {
        const charged = expectStatus(
          await gateway.post(`/api/transactions/${type}`, sale({ processor_id, amount: "100.00" })),
          200,
        );
        const { id } = transactionOf(charged);
        const { reference } = host.ofTransaction(id, type);
        const success = { reference, tells: "approved" } as const;
        const all = made.map((one, nth) => ({ ...one, reference, id: `${id} ${nth}` }));
        for (const one of order === "before" ? [...all, success] : [success, ...all]) await tell(one);
        // However often all of it is told.
        for (const one of [success, ...all]) await tell(one);
        await tell({ ...success, id: `${id} again` });
        const { events: shown, actions } = await found(id);
        const texts = shown.map(
          ({ event_type, amount, success, by_processor }: Json) =>
            `${event_type} ${amount} ${success}${by_processor ? " by processor" : ""}`,
        );
        assert.deepEqual(texts.toSorted(), events.toSorted());
        const amountOf = ({ allowed, amount }: Json) => (allowed ? amount : null);
        assert.deepEqual([amountOf(actions.capture), amountOf(actions.refund)], left);
      });

  test("a capture at the processor of an authorization with passengers is refunded to those who are named, once", async () => {
    host.conduct("auth", "approves");
    host.conduct("refund", "approves");
    const passenger_transport = ["60.00", "40.00"].map((fare) => passenger({ legs: [leg({ fare })] }));
    const charge = sale({ processor_id, amount: "100.00", passenger_transport });
    const { id } = transactionOf(expectStatus(await gateway.post("/api/transactions/auth", charge), 200));
    await tell({ reference: host.ofTransaction(id, "auth").reference, tells: "captured", amount: 50_00 });
    const { passengers, actions } = await found(id);
    assert.deepEqual([actions.refund.allowed, actions.refund.amount], [true, "50.00"]);
    const refund = async (status: number, ...parts: readonly string[]) => {
      const shares = parts.map((amount, index) => ({ passenger_id: passengers[index].id, amount }));
      const amount = parts.reduce((sum, part) => sum + Number(part), 0).toFixed(2);
      const body = { amount, passenger_transport: shares.filter((share) => share.amount !== "0.00") };
      return expectStatus(await gateway.post(`/api/transactions/${id}/refund`, body), status).body;
    };
    const { error } = await refund(422, "0.00", "40.01");
    assert.match(JSON.stringify(error.message), /40\.00/);
    await refund(200, "20.00", "0.00");
    await refund(422, "0.00", "30.01");
    await refund(200, "5.00", "25.00");
    const { passengers: after, actions: left } = await found(id);
    assert.deepEqual(
      after.map(({ totals }: Json) => (totals as Json).refunded),
      ["25.00", "25.00"],
    );
    assert.equal(left.refund.allowed, false);
    await refund(422, "0.01");
  });
});
