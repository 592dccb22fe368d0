// A process that is killed between any two steps of the automatic capture: the next one ends what it began, and nothing is
// captured twice or left out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cad, evening } from "../../test/fixtures/evening.ts";
import { at } from "../../test/transactions.ts";

const CAPTURED = ["auth 100 approved", "capture 100 approved"];
const AUTHORIZATIONS = 3;
const MOST_STEPS = 100;
const never = (): Promise<never> => new Promise(() => undefined);

/** Counts down with each step that a process takes; at zero the process is gone, and so is every later step of it. */
class Fuse {
  left = Number.POSITIVE_INFINITY;
  readonly burnt: Promise<"burnt">;
  #burn: (word: "burnt") => void = () => undefined;

  constructor() {
    this.burnt = new Promise((resolve) => {
      this.#burn = resolve;
    });
  }

  step(): Promise<void> {
    if (--this.left >= 0) return Promise.resolve();
    this.#burn("burnt");
    return never();
  }

  /** The same object, each of whose calls is a step. */
  through<T extends object>(target: T): T {
    const burning = Object.entries(target).map(([name, call]) => [
      name,
      async (...given: unknown[]) => {
        await this.step();
        return call(...given);
      },
    ]);
    return Object.fromEntries(burning) as T;
  }
}

for (const order of ["resolves first", "captures first"] as const)
  test(`killed at any step, with a successor that ${order}`, async () => {
    let steps = 0;
    for (let ended = false; !ended; steps++) {
      assert.ok(steps < MOST_STEPS, "a run that never ends");
      ended = await killedAfter(steps, order);
    }
    // Each authorization: an intent, the way to the processor and back, an outcome.
    assert.ok(steps > AUTHORIZATIONS * 4, `only ${steps} steps`);
  });

/** @returns whether it ended before the process was killed */
async function killedAfter(steps: number, order: "resolves first" | "captures first"): Promise<boolean> {
  const fuse = new Fuse();
  const whole = evening([cad()], { way: () => fuse.step() });
  const dying = whole.node(
    (journal) => fuse.through(journal),
    (open) => fuse.through(open),
  );
  const ids = [];
  while (ids.length < AUTHORIZATIONS) ids.push(await dying.authorize());
  whole.clock.set(at("1 20:30"));
  fuse.left = steps;
  const how = await Promise.race([dying.capture(), fuse.burnt]);
  fuse.left = Number.POSITIVE_INFINITY;
  whole.memory.declareDead(dying.id);
  whole.open.letGo();

  const successor = whole.node();
  const resolve = async () => {
    while ((await successor.resolve()) > 0);
  };
  if (order === "resolves first") await resolve();
  await successor.capture();
  await resolve();
  for (const id of ids) {
    assert.deepEqual(await successor.events(id), CAPTURED, `killed after ${steps} steps`);
    assert.equal(whole.books.entriesOf(id).filter(({ type }) => type === "capture").length, 1);
  }
  assert.equal(whole.memory.unresolved, 0);
  assert.deepEqual(await successor.open.due(at("2 20:29:59.999")), [], `killed after ${steps} steps`);
  // Whatever is still noted as open is over at the next look.
  whole.clock.set(at("2 20:30"));
  await successor.capture();
  for (const id of ids) assert.deepEqual(await successor.events(id), CAPTURED);
  const [due] = await successor.open.due(at("3 20:30"));
  assert.ok(due);
  assert.deepEqual(await successor.open.lease(due, AUTHORIZATIONS), []);
  return how !== "burnt";
}
