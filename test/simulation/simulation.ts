// A simulated installation: what is done to it, by merchants at once, by kills and by a database that goes away; and the
// comparison of what happened with the model.

import assert from "node:assert/strict";
import { v7 as uuidv7 } from "uuid";
import { charge } from "../../src/gateway/charge.ts";
import { followUp } from "../../src/gateway/follow-up.ts";
import { heartbeat, takeOver } from "../../src/gateway/resolve.ts";
import { reverse } from "../../src/gateway/reverse.ts";
import type { KeyClaim } from "../../src/journal/journal.ts";
import { amountOf } from "../../src/payment/money.ts";
import type { ProcessorRecord } from "../../src/payment/processor-record.ts";
import type { Transaction } from "../../src/payment/transaction.ts";
import { type Acquirer, type Asked, acquirer } from "../acquirer.ts";
import { resolveDue } from "../gateway-in-memory.ts";
import { type Answers, answers, type Launched } from "./answers.ts";
import { assertBooks, assertBooksAtEnd } from "./books.ts";
import { chanceFrom } from "./chance.ts";
import { assertAllowed } from "./explain.ts";
import type { House } from "./house.ts";
import { type Mirrored, mirror, type Witness } from "./mirror.ts";
import { joinNode, render, type SimulatedNode, type Weather } from "./nodes.ts";
import { recordsOf, SCHEDULES } from "./records.ts";
import { type Request, requestFor } from "./requests.ts";
import { assertState } from "./state.ts";
import type { Operation, Step } from "./steps.ts";
import { type Task, Turns } from "./turns.ts";

/** Where things happen: two nodes, the lines to their processors, and the model of all that they did. */
export class Simulation {
  readonly house: House;
  readonly #newId: () => string;
  readonly books: Acquirer = acquirer();
  readonly turns = new Turns();
  readonly weather: Weather = { chance: chanceFrom(0), noise: 0, databaseAway: false };
  readonly records: ProcessorRecord[];
  readonly #witness: Witness;
  readonly #answers: Answers;
  readonly #given: { readonly asked: Asked; readonly at: number; readonly schedule: ProcessorRecord["schedule"] }[] =
    [];
  readonly #gone: SimulatedNode[] = [];
  nodes: readonly [SimulatedNode, SimulatedNode];
  /** As of the last comparison, in the order of the transactions' numbers. */
  stored: readonly Transaction[] = [];
  mirrors: readonly Mirrored[] = [];
  /** Events that the gateway is to have made of itself. */
  readonly ours = new Set<string>();
  #comparedAt = Number.NaN;

  private constructor(house: House, records: ProcessorRecord[], newId: () => string, coverage: Map<string, number>) {
    this.house = house;
    this.#newId = newId;
    this.records = records;
    this.nodes = [] as never;
    this.#witness = {
      books: this.books,
      records,
      answersTo: (reference) => this.#given.filter(({ asked }) => asked.reference === reference),
      doubtful: ({ askedBy }) =>
        [...this.nodes, ...this.#gone].some(({ asker, doubtful }) => asker === askedBy && doubtful),
    };
    this.#answers = answers(coverage, this.ours);
  }

  static async open(
    house: House,
    coverage: Map<string, number>,
    recordsFor: (merchantId: string, newId: () => string) => ProcessorRecord[] = recordsOf,
  ): Promise<Simulation> {
    const newId = idsInOrder();
    // A record's batches are named after it, and a node remembers them into the next history.
    const simulation = new Simulation(house, recordsFor(house.merchantId, uuidv7), newId, coverage);
    simulation.nodes = [await simulation.#join(), await simulation.#join()];
    return simulation;
  }

  /** @returns what was asked for */
  async burst(step: Step & { step: "burst" }): Promise<readonly Launched[]> {
    const chance = chanceFrom(step.seed);
    Object.assign(this.weather, { chance, noise: step.noise, databaseAway: step.databaseAway });
    const launched = step.operations.flatMap((operation) => this.launch(operation));
    const [doomed, other] = this.nodes;
    const tasks: Task[] = launched.map(({ node, promise }) => ({ node: node.id, promise }));
    const atTurn = new Map<number, () => Promise<void>>();
    if (step.end !== "none") doomed.doubtful = true;
    if (step.end === "kill") atTurn.set(chance.below(12), async () => this.turns.kill(doomed.id));
    if (step.end === "bury") tasks.push({ node: other.id, promise: this.#bury(doomed, other, chance.below(12)) });
    await this.turns.play(tasks, chance, atTurn);
    if (step.end === "kill") await this.replace(doomed);
    Object.assign(this.weather, { noise: 0, databaseAway: false });
    await this.compare(launched);
    return launched;
  }

  launch({ wished, node: index, keyed }: Operation): Launched[] {
    const node = this.nodes[index];
    const now = this.house.clock.now().getTime();
    if (wished.does === "retry") {
      const earlier = this.#answers.keyed[wished.which % this.#answers.keyed.length];
      if (earlier?.claim == null) return [];
      const { key, requestHash } = earlier.claim;
      const claim = { key, requestHash: wished.honest ? requestHash : Buffer.from(`not ${key}`) };
      return [this.#answers.launched(node, earlier.request, claim, this.#ask(node, earlier.request, claim))];
    }
    const request = requestFor(wished, this.records, this.mirrors, now);
    if (request === undefined) return [];
    const claim = keyed ? this.#answers.newClaim() : null;
    return [this.#answers.launched(node, request, claim, this.#ask(node, request, claim))];
  }

  #ask({ parts, keys }: SimulatedNode, request: Request, claim: KeyClaim | null) {
    const { merchantId } = this.house;
    return keys.once(merchantId, claim, () => {
      if (request.is === "charge")
        return charge(parts, { merchantId, userId: merchantId }, request.charge, claim, render);
      const call = { merchantId, transactionId: request.transactionId, ipAddress: null, claim, render };
      if (request.is === "reversal") return reverse(parts, call);
      const { kind, amount, shares } = request.wish;
      return followUp(parts, call, kind, {
        amount: amount === undefined ? undefined : amountOf(BigInt(amount)),
        shares: shares?.map(([passengerId, part]) => ({ passengerId, amount: amountOf(BigInt(part)) })),
      });
    });
  }

  /** The other node takes this one for dead, while it is alive and at work. */
  async #bury(doomed: SimulatedNode, other: SimulatedNode, turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await this.turns.way(other.id);
    await this.house.declareDead(doomed.id);
    await this.resolve(other);
  }

  async replace(dead: SimulatedNode): Promise<void> {
    this.#gone.push(dead);
    await dead.heard();
    await this.house.declareDead(dead.id);
    this.nodes = [await this.#join(), this.nodes[1]];
  }

  #join(): Promise<SimulatedNode> {
    return joinNode(this.house, this.books, this.records, this.turns, this.weather, this.#newId);
  }

  async resolve({ parts, backlog, queues }: SimulatedNode): Promise<void> {
    await heartbeat(parts, backlog);
    await takeOver(parts, backlog);
    await resolveDue(parts, backlog, queues);
  }

  /** The journal, the books and the answers agree with the model, and with each other. */
  async compare(launched: readonly Launched[]): Promise<void> {
    const now = this.house.clock.now();
    for (const asked of this.books.asked.slice(this.#given.length)) {
      const schedule = this.records.find(({ id }) => id === asked.processorId)?.schedule ?? SCHEDULES[0];
      this.#given.push({ asked, at: now.getTime(), schedule });
    }
    const before = this.mirrors;
    const stored = await this.house.transactions();
    this.stored = stored;
    this.mirrors = stored.map((transaction, index) => {
      const known = before[index];
      const model = mirror(transaction, known, this.#witness);
      if (known) assert.equal(known.id, model.id, "no transaction goes away");
      assertAllowed(known, model, now.getTime());
      const same = known?.events.every(({ outcome }, index) => outcome === model.events[index]?.outcome) ?? false;
      if (!same || known?.events.length !== model.events.length || now.getTime() !== this.#comparedAt)
        assertState(transaction, model, now);
      assertBooks(this.books, transaction.id);
      return model;
    });
    this.#comparedAt = now.getTime();
    assert.ok(stored.length >= before.length, "no transaction goes away");
    this.#answers.check(launched, before, this.mirrors, now.getTime());
  }

  /** Lines and databases are well again: all that is open ends, and no queue holds anything. */
  async end(): Promise<void> {
    for (let round = 0; round < 100; round++) {
      for (const node of this.nodes) await this.resolve(node);
      await this.compare([]);
      const waiting = this.nodes.some(({ parts }) => parts.retryQueue.size > 0);
      if (!waiting && (await this.house.unresolved()) === 0) break;
      this.house.clock.set(new Date(this.house.clock.now().getTime() + LEASE_MS));
    }
    assert.equal(await this.house.unresolved(), 0, "nothing is left to do");
    for (const { parts } of this.nodes)
      assert.deepEqual([parts.retryQueue.size, parts.inFlight.size], [0, 0], "nothing is left to do");
    const known = new Set(this.mirrors.map(({ id }) => id));
    for (const { transactionId } of this.books.asked)
      assert.ok(known.has(transactionId), "nothing is asked that is not on record");
    for (const { id, events } of this.mirrors) {
      for (const event of events) assert.ok(event.outcome, `${event.kind} ${event.id} has ended`);
      assertBooksAtEnd(this.books, id, new Map(events.map((event) => [event.id, event.outcome ?? ""])));
    }
  }
}

/** After which events without an outcome are asked about again. */
const LEASE_MS = 180_000;

/** The same in every run, since the simulator draws the instant of settlement from them. */
function idsInOrder(): () => string {
  let count = 0;
  return () => `01970000-0000-7000-8000-${(++count).toString(16).padStart(12, "0")}`;
}
