// A process that is killed between any two steps of charging a payment, and a gateway on the same database that goes on: the payment is
// charged once. And several nodes that charge the same payments at once.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { officeOn, SECRET } from "../../test/fixtures/archiving.ts";
import { startTestGateway } from "../../test/journeys/gateway.ts";
import { expectStatus, type Gateway } from "../../test/journeys/merchant.fixture.ts";
import { assertOnce, DAY_MS, plansOf, wordsOf } from "../../test/journeys/plans.fixture.ts";
import { until } from "../../test/receiver.ts";
import type { Parts } from "../gateway/parts.ts";
import type { Sql } from "../journal/database.ts";
import { type DuePlans, duePlans } from "../journal/due-plans.ts";
import { enterRecovery } from "../journal/lineage.ts";
import { releaseRecovery } from "../recovery/recovery.ts";
import { Concealed } from "../settings.ts";
import { chargePlansDue } from "./due-plan-charges.ts";
import { chargePayment, type PlanWork } from "./plan-charges.ts";

const MOST_STEPS = 60;
/** So long does the gateway wait for a node that died. */
const LEASE_MS = 200;
/** By this release. */
const NOT_ASKED = { mode: "sandbox", kinds: new Map() } as const;
const never = (): Promise<never> => new Promise(() => undefined);

/** Counts down with each step that a process takes; at zero the process is gone, and so is every later step of it. */
class Fuse {
  #left: number;
  readonly burnt: Promise<"burnt">;
  #burn: (word: "burnt") => void = () => undefined;

  constructor(steps: number) {
    this.#left = steps;
    this.burnt = new Promise((resolve) => {
      this.#burn = resolve;
    });
  }

  step(): Promise<void> {
    if (--this.#left >= 0) return Promise.resolve();
    this.#burn("burnt");
    return never();
  }

  /** The same object, each of whose calls is a step. */
  through<T extends object>(target: T): T {
    const burning = Object.entries(target).map(([name, call]) => [
      name,
      typeof call === "function"
        ? async (...given: unknown[]) => {
            await this.step();
            return call(...given);
          }
        : call,
    ]);
    return Object.fromEntries(burning) as T;
  }

  /** A database transaction is a step before it begins, and one after it was committed. */
  database(sql: Sql): Sql {
    const begin = async (work: never) => {
      await this.step();
      const result = await sql.begin(work);
      await this.step();
      return result;
    };
    return Object.assign((...given: Parameters<Sql>) => sql(...given), sql, { begin }) as unknown as Sql;
  }
}

describe("a payment", () => {
  let gateway: Gateway;
  let parts: Parts;
  let plans: ReturnType<typeof plansOf>;
  before(async () => {
    gateway = await startTestGateway(
      { secret: new Concealed(SECRET) },
      {
        patience: { captureLeaseMs: LEASE_MS },
        refit: (its) => {
          parts = its;
          return its;
        },
      },
    );
    plans = plansOf(gateway);
  });
  after(() => gateway.close());

  /** A node whose clock says that what falls due in a day is due. */
  const ahead = (): Parts => ({ ...parts, clock: { now: () => new Date(parts.clock.now().getTime() + 2 * DAY_MS) } });
  const workOf = (due: DuePlans = duePlans(gateway.pool, LEASE_MS)): PlanWork => ({ sql: gateway.pool, due });
  const one = async (order: string, over = {}) => {
    const due_at = new Date((await plans.now()) + DAY_MS).toISOString();
    const payments = [{ due_at, amount: "1.00" }];
    const plan = await plans.make({ merchant_transaction_id: order, total: "1.00", payments, ...over });
    return { plan, payment: { merchantId: gateway.sandbox.merchant_id, planId: plan.id, number: 1 } };
  };

  test("is charged once by a process that is killed at any step and a gateway that goes on", async () => {
    let ended = false;
    let steps = 0;
    for (; !ended; steps++) {
      assert.ok(steps < MOST_STEPS, "a run that never ends");
      const fuse = new Fuse(steps);
      const order = `killed-${steps}`;
      const { plan, payment } = await one(order);
      const dying = { ...ahead(), journal: fuse.through(parts.journal) };
      const work = { sql: fuse.database(gateway.pool), due: fuse.through(duePlans(gateway.pool, LEASE_MS)) };
      const how = await Promise.race([chargePayment(dying, work, payment), fuse.burnt]);
      ended = how !== "burnt";
      // Until the lease of the dead one ends.
      const open = async () => {
        const [sale] = await plans.salesOf(order);
        return sale?.events[0].status === "pending";
      };
      await until(`killed after ${steps} steps`, async () => {
        await chargePayment(ahead(), workOf(), payment);
        return wordsOf(await plans.find(plan.id))[0] === "charged" || (await open());
      });
      const sales = await plans.salesOf(order);
      assert.equal(sales.length, 1, `killed after ${steps} steps`);
      assert.equal(sales[0].id, (await plans.find(plan.id)).payments[0].transaction_id);
    }
    // A lease, what is known of it, the begin, the search, the intent, the way there and back, the outcome, the payment.
    assert.ok(steps > 8, `only ${steps} steps`);
  });

  test("is charged once by many nodes at once", async () => {
    const order = "at-once";
    const made: Awaited<ReturnType<typeof one>>[] = [];
    for (let n = 0; n < 12; n++) made.push(await one(order));
    const nodes = Array.from({ length: 6 }, () =>
      Promise.all(made.map(({ payment }) => chargePayment(ahead(), workOf(), payment))),
    );
    await Promise.all(nodes);
    await until("all are charged", async () => {
      for (const { payment } of made) await chargePayment(ahead(), workOf(), payment);
      const states = await Promise.all(made.map(async ({ plan }) => (await plans.find(plan.id)).status));
      return states.every((status) => status === "completed");
    });
    const sales = await plans.salesOf(order);
    assert.equal(sales.length, made.length);
    assertOnce(sales);
  });

  test("whose lease passes while its node sleeps is not charged twice when that node wakes up", async () => {
    const { plan, payment } = await one("asleep");
    let wake = (): void => undefined;
    const slept = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let asleep = (): void => undefined;
    const sleeps = new Promise<void>((resolve) => {
      asleep = resolve;
    });
    const open: Parts["journal"]["open"] = async (...given) => {
      asleep();
      await slept;
      return parts.journal.open(...given);
    };
    const due = { ...duePlans(gateway.pool, LEASE_MS), renew: async () => undefined };
    const sleeper = chargePayment({ ...ahead(), journal: { ...parts.journal, open } }, workOf(due), payment);
    await sleeps;
    await until("another node has charged it", async () => {
      await chargePayment(ahead(), workOf(), payment);
      return (await plans.find(plan.id)).status === "completed";
    });
    wake();
    await sleeper.catch(() => undefined);
    assert.equal((await plans.salesOf("asleep")).length, 1);
  });

  test("that was given up is not charged by a node that wakes up later", async () => {
    const { plan, payment } = await one("given-up");
    let wake = (): void => undefined;
    const slept = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let asleep = (): void => undefined;
    const sleeps = new Promise<void>((resolve) => {
      asleep = resolve;
    });
    const open: Parts["journal"]["open"] = async (...given) => {
      asleep();
      await slept;
      return parts.journal.open(...given);
    };
    const due = { ...duePlans(gateway.pool, LEASE_MS), renew: async () => undefined };
    const sleeper = chargePayment({ ...ahead(), journal: { ...parts.journal, open } }, workOf(due), payment);
    await sleeps;
    expectStatus(await gateway.call("DELETE", `/api/cards/${plan.card_id}`), 204);
    await until("another node has given it up", async () => {
      await chargePayment(ahead(), workOf(), payment);
      return wordsOf(await plans.find(plan.id))[0] === "failed";
    });
    wake();
    await sleeper.catch(() => undefined);
    assert.deepEqual(await plans.salesOf("given-up"), []);
  });

  test("is not begun in recovery mode, and is charged after it", async () => {
    const { plan, payment } = await one("halted");
    const halted = { ...ahead(), halted: () => true };
    assert.equal(await chargePayment(halted, workOf(), payment), false);
    await assert.rejects(chargePlansDue(halted, workOf(), new AbortController().signal), /recovery mode/);
    assert.deepEqual(wordsOf(await plans.find(plan.id)), ["scheduled"]);
    await chargePayment(ahead(), workOf(), payment);
    assert.deepEqual(wordsOf(await plans.find(plan.id)), ["charged"]);
  });

  test("that is more than a week late is not charged by itself", async () => {
    const { plan } = await one("late");
    const late = { ...parts, clock: { now: () => new Date(parts.clock.now().getTime() + 9 * DAY_MS) } };
    await chargePlansDue(late, workOf(), new AbortController().signal);
    const [payment] = (await plans.find(plan.id)).payments;
    assert.deepEqual([payment.status, payment.reason], ["failed", "overdue"]);
    assert.deepEqual(await plans.salesOf("late"), []);
  });

  test("that fell due before the end of recovery mode is charged by nobody, unless it is on record that it was", async () => {
    const [lost, found] = [await one("lost"), await one("found")];
    // As if its charge had been adopted, under the id that it had.
    await chargePayment({ ...ahead(), journal: parts.journal }, workOf(), found.payment);
    await gateway.pool`
      update plan_payments p set status = 'scheduled', attempts = 0, charge_at = due_at, transaction_id = null, taken_until = null
      where plan_id = ${found.plan.id}`;
    await gateway.pool`delete from plan_charges where plan_id = ${found.plan.id}`;
    // An operator has released the gateways.
    await enterRecovery(gateway.pool, "test", []);
    const office = { ...officeOn(gateway.pool, ahead().clock), ...NOT_ASKED };
    assert.equal(
      await releaseRecovery(office, { actor: "test", source: "test" }, "compared with the books"),
      "released",
    );
    await until("the gateway goes on", () => !parts.halted());
    for (const { payment } of [lost, found]) await chargePayment(ahead(), workOf(), payment);
    await gateway.pool`delete from installation where name = 'plans_recovered'`;
    const statusOf = async ({ plan }: typeof lost) => {
      const [payment] = (await plans.find(plan.id)).payments;
      return `${payment.status} ${payment.reason}`;
    };
    assert.deepEqual([await statusOf(lost), await statusOf(found)], ["failed after-recovery", "charged null"]);
    assert.deepEqual(await plans.salesOf("lost"), []);
    assert.equal((await plans.salesOf("found")).length, 1);
  });
});
