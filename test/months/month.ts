// Runs a month of Canadian-dollar accounts: days of sales, authorizations and what follows, evenings of automatic capture,
// cut-offs and windows, schedules that change. After every step what is there is held to the model.

import assert from "node:assert/strict";
import { termsOf } from "../../src/gateway/processors-at-work.ts";
import type { Terms } from "../../src/payment/actions.ts";
import type { Transaction } from "../../src/payment/transaction.ts";
import type { Launched } from "../simulation/answers.ts";
import { type Chance, chanceFrom } from "../simulation/chance.ts";
import { saying } from "../simulation/history.ts";
import type { Mirrored } from "../simulation/mirror.ts";
import { Simulation } from "../simulation/simulation.ts";
import type { Operation } from "../simulation/steps.ts";
import { type Calendar, calendarOf } from "./calendar.ts";
import { type Authorized, assertCaptured, awaited, type Due } from "./evening.ts";
import { CALM, Evenings } from "./evenings.ts";
import type { MonthHouse } from "./house.ts";
import { momentOf } from "./moments.ts";
import { type Actions, actionsShown, assertKept, assertSaid } from "./promises.ts";
import { monthRecords } from "./records.ts";
import { shownBatches } from "./shown-batches.ts";
import type { Evening, MonthStep } from "./steps.ts";

const DAY = 24 * 60 * 60_000;
const MONTH_DAYS = 30;

/** @param met counts what was met, by name */
export async function runMonth(
  house: MonthHouse,
  steps: readonly MonthStep[],
  met: Map<string, number>,
): Promise<void> {
  const simulation = await Simulation.open(house, met, monthRecords);
  await house.enrol(simulation.records);
  const month = new Month(house, simulation, met);
  for (const [index, step] of steps.entries()) await saying(`step ${index}`, () => month.take(step));
  await saying("the end", () => month.end());
}

class Month {
  readonly #house: MonthHouse;
  readonly #simulation: Simulation;
  readonly #calendar: Calendar;
  readonly #batches = shownBatches();
  readonly #authorized = new Map<string, Authorized>();
  readonly #evenings: Evenings;
  readonly #endsAt: number;
  readonly #meet: (what: string) => void;

  constructor(house: MonthHouse, simulation: Simulation, met: Map<string, number>) {
    this.#house = house;
    this.#simulation = simulation;
    this.#evenings = new Evenings(house, simulation);
    this.#calendar = calendarOf(simulation.records, this.#now());
    this.#endsAt = this.#now() + MONTH_DAYS * DAY;
    this.#meet = (what) => void met.set(what, (met.get(what) ?? 0) + 1);
  }

  async take(step: MonthStep): Promise<void> {
    const simulation = this.#simulation;
    switch (step.step) {
      case "alone":
        return this.#alone(step.operation);
      case "burst":
        return this.#checked(async () => this.#targets(await simulation.burst(step)));
      case "resolve":
        return this.#checked(async () => {
          this.#calm(chanceFrom(step.seed), step.noise);
          await simulation.resolve(simulation.nodes[step.node]);
          await simulation.compare([]);
          return [];
        });
      case "schedule":
        return this.#reschedule(step);
      case "clock": {
        const to = momentOf(step, simulation.records, simulation.mirrors, this.#now());
        return this.#goTo(Math.min(to, this.#endsAt), step.evening);
      }
    }
  }

  /** What is open comes to its end, the month passes, and two days more in which the last of its money settles. */
  async end(): Promise<void> {
    for (let round = 0; round < 3; round++)
      await this.#checked(async () => {
        this.#calm();
        for (const node of this.#simulation.nodes) await this.#simulation.resolve(node);
        await this.#simulation.compare([]);
        return [];
      });
    await this.#goTo(this.#endsAt, CALM);
    await this.#checked(async () => {
      await this.#simulation.end();
      return [];
    });
    await this.#goTo(this.#now() + 3 * DAY, CALM);
    await this.#simulation.end();
    await this.#house.checkBatches(this.#simulation.mirrors, this.#batches.ids, Number.POSITIVE_INFINITY);
  }

  #now(): number {
    return this.#house.clock.now().getTime();
  }

  #calm(chance: Chance = chanceFrom(0), noise: 0 | 1 | 2 | 3 = 0): void {
    Object.assign(this.#simulation.weather, { chance, noise, databaseAway: false });
  }

  /** One operation and nothing beside it: it does what was said to be possible. */
  async #alone(operation: Operation): Promise<void> {
    const simulation = this.#simulation;
    this.#calm();
    const { wished } = operation;
    const place = "target" in wished ? wished.target % simulation.mirrors.length : Number.NaN;
    const before = simulation.mirrors[place];
    const actions = before && (await this.#said(place));
    let launched: readonly Launched[] = [];
    await this.#checked(async () => {
      launched = simulation.launch(operation);
      for (const { promise } of launched) await promise;
      await simulation.compare(launched);
      return this.#targets(launched);
    });
    const after = simulation.mirrors[place];
    const [one] = launched;
    if (!before || !after || !actions || !one?.result || one.request.is === "charge") return;
    if (one.result.kind === "thrown") throw one.result.fault;
    const { request, result } = one;
    assertKept({ actions, before, after, request, result, now: this.#now(), code: this.#code });
  }

  async #said(place: number): Promise<Actions | undefined> {
    const { stored, mirrors } = this.#simulation;
    const [transaction, model] = [stored[place], mirrors[place]];
    if (!transaction || !model) return undefined;
    return assertSaid(transaction, model, await this.#termsOf(transaction), this.#now());
  }

  async #termsOf({ merchantId, events }: Transaction): Promise<Terms> {
    const charge = events.findLast(({ type }) => isCharge(type));
    const { processors } = this.#simulation.nodes[0].parts;
    return termsOf(await processors.find(merchantId, charge?.processorId ?? ""));
  }

  readonly #code = (eventId: string): string => {
    const { answer } = this.#simulation.books.entry(eventId) ?? {};
    return answer && "processorResponse" in answer ? answer.processorResponse.code : "";
  };

  async #reschedule({ record: index, time, to }: MonthStep & { step: "schedule" }): Promise<void> {
    const { records } = this.#simulation;
    const record = records[index];
    if (record === undefined || (to === null && time !== "auto_capture_at")) return;
    const schedule = { ...record.schedule, [time]: to };
    await this.#house.reschedule(record, schedule);
    this.#calendar.changed(record.id, record.schedule, schedule, this.#now());
    records[index] = { ...record, schedule };
    this.#meet("schedule changed");
  }

  /** @param evening what happens at the first time of capture on the way at which there is something to capture */
  async #goTo(instant: number, evening: Evening): Promise<void> {
    let conduct = evening;
    for (let due = this.#calendar.next(); due !== undefined && due.at <= instant; due = this.#calendar.next()) {
      const at = Math.max(due.at, this.#now());
      this.#house.clock.set(new Date(at));
      const of = (how: "certainly" | "perhaps") => awaited(this.#simulation.mirrors, this.#authorized, due, how);
      const waiting = of("certainly");
      if (waiting.length > 0) {
        await this.#assertDue(due);
        await this.#assertForetold(waiting, due.at);
        // What a node that was killed had in flight is resolved in the meantime.
        await this.#evening(waiting, conduct.killed ? of("perhaps") : waiting, conduct);
        conduct = CALM;
      } else await this.#evenings.node(0).capture();
      this.#calendar.captured(due.at, at);
    }
    this.#house.clock.set(new Date(Math.max(instant, this.#now())));
    await this.#checked(async () => {
      await this.#simulation.compare([]);
      return [];
    });
    await this.#house.checkBatches(this.#simulation.mirrors, this.#batches.ids, 2);
    const { mirrors } = this.#simulation;
    if (mirrors.length > 0) await this.#said(Math.floor(instant / 60_000) % mirrors.length);
  }

  /** The gateway has the same in its calendar. */
  async #assertDue({ at, records }: Due): Promise<void> {
    const { open } = this.#evenings.node(0);
    assert.deepEqual(await open.due(new Date(at - 1)), [], "nothing is captured sooner");
    const due = await open.due(new Date(at));
    assert.deepEqual(new Set(due.map(({ processorId }) => processorId)), records, "what is captured at this time");
    for (const { dueAt } of due) assert.equal(dueAt.getTime(), at);
  }

  /** What is captured now was the merchant's until now, and it said so. */
  async #assertForetold(waiting: readonly Mirrored[], at: number): Promise<void> {
    for (const transaction of this.#simulation.stored.filter((one) => waiting.some(({ id }) => id === one.id))) {
      const { capture } = actionsShown(transaction, await this.#termsOf(transaction), at - 1);
      assert.equal(
        Date.parse(capture.until ?? ""),
        at,
        `${transaction.id} is captured then: ${JSON.stringify(capture)}`,
      );
    }
  }

  async #evening(waiting: readonly Mirrored[], perhaps: readonly Mirrored[], evening: Evening): Promise<void> {
    const simulation = this.#simulation;
    const calm = evening.noise === 0 && !evening.databaseAway && !evening.killed;
    const before = new Map(simulation.mirrors.map((model) => [model.id, model]));
    await this.#checked(
      async () => {
        const launched = await this.#evenings.pass(evening);
        await this.#claimOurs(perhaps);
        await simulation.compare(launched);
        return [...this.#targets(launched), ...perhaps.map(({ id }) => id)];
      },
      (targets) => {
        for (const model of simulation.mirrors) {
          const earlier = before.get(model.id);
          const wait = waiting.some(({ id }) => id === model.id);
          const meddled = targets.filter((id) => id === model.id).length > (wait ? 1 : 0);
          if (earlier && wait && !meddled) assertCaptured(earlier, model, calm, this.#code);
        }
      },
    );
    this.#meet(`evening${calm ? "" : " in disorder"}${evening.killed ? ", killed" : ""}`);
  }

  /** Whole captures of what waits are the gateway's own; whether they are right is said later. */
  async #claimOurs(waiting: readonly Mirrored[]): Promise<void> {
    const before = new Map(waiting.map(({ id, events }) => [id, events.length]));
    for (const { id, events } of await this.#house.transactions())
      for (const event of events.slice(before.get(id) ?? events.length))
        if (event.type === "capture") this.#simulation.ours.add(event.id);
  }

  #targets(launched: readonly Launched[]): readonly string[] {
    return launched.flatMap(({ request }) => (request.is === "charge" ? [] : [request.transactionId]));
  }

  /** Nothing happens but to what was asked for. @param work gives the transactions that it was about */
  async #checked(work: () => Promise<readonly string[]>, then: (targets: readonly string[]) => void = () => undefined) {
    const before = this.#simulation.mirrors;
    const targets = await work();
    const { mirrors, stored } = this.#simulation;
    for (const [index, { id, events }] of mirrors.entries()) {
      const known = before[index];
      const added = known ? events.slice(known.events.length) : [];
      // The last words of a node that was killed may come late: the refund of a reversal, or its charge at another processor.
      const ownAccord = added.filter(({ kind, reversal }) => !(kind === "refund" && reversal) && !isCharge(kind));
      assert.ok(
        ownAccord.length === 0 || targets.includes(id),
        `${ownAccord[0]?.kind} of ${id}, and nobody asked for it`,
      );
      const charge = events.find(({ kind, fate }) => kind === "auth" && fate === "moved");
      if (charge === undefined || this.#authorized.has(id)) continue;
      this.#authorized.set(id, { processorId: charge.processorId, at: this.#now() });
    }
    then(targets);
    this.#batches.check(stored, mirrors, this.#now());
  }
}

const isCharge = (kind: string): boolean => kind === "sale" || kind === "auth";
