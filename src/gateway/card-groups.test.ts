import assert from "node:assert/strict";
import { test } from "node:test";
import { cardGroups } from "./card-groups.ts";

const MANY = 1_000;

test("a group counts each card once, with the best that is known of it", () => {
  const groups = cardGroups(MANY);
  for (const card of ["a", "b", "c", "a", "d"]) groups.add("g", card, 0, 10);
  groups.learn("g", "a", "declined");
  groups.learn("g", "a", "other");
  groups.learn("g", "b", "declined");
  groups.learn("g", "b", "approved");
  groups.learn("g", "c", "other");
  groups.learn("g", "nobody", "declined");
  assert.deepEqual(groups.counted("g", 0, 40), { cards: 4, answered: 3, pending: 1, newest: 3, declined: 1 });
  assert.deepEqual(
    ["a", "b", "c", "d", "e"].map((card) => groups.stateOf("g", card, 0)),
    ["declined", "approved", "other", "pending", undefined],
  );
});

test("what was seen too long ago is forgotten, and what is seen again keeps what is known", () => {
  const groups = cardGroups(MANY);
  for (const [atMs, card] of ["a", "b", "a"].entries()) groups.add("g", card, atMs, 10);
  groups.learn("g", "a", "declined");
  assert.deepEqual(groups.counted("g", 1, 40), { cards: 2, answered: 1, pending: 1, newest: 1, declined: 1 });
  assert.deepEqual(groups.counted("g", 2, 40), { cards: 1, answered: 1, pending: 0, newest: 1, declined: 1 });
  assert.deepEqual(groups.counted("g", 3, 40), { cards: 0, answered: 0, pending: 0, newest: 0, declined: 0 });
});

test("a full group lets its longest unseen card go", () => {
  const groups = cardGroups(MANY);
  for (const card of ["a", "b", "c", "a", "d"]) groups.add("g", card, 0, 3);
  assert.deepEqual([groups.stateOf("g", "b", 0), groups.stateOf("g", "a", 0)], [undefined, "pending"]);
  assert.equal(groups.counted("g", 0, 40).cards, 3);
});

test("there are never more cards than the most, and groups that are in use stay", () => {
  const groups = cardGroups(100);
  for (let nth = 0; nth < 10_000; nth++) {
    groups.add(`other ${nth}`, "a", 0, 10);
    groups.add("in use", `card ${nth % 5}`, 0, 10);
  }
  const kept = Array.from({ length: 10_000 }, (_, nth) => groups.counted(`other ${nth}`, 0, 40).cards);
  const sum = kept.reduce((all, cards) => all + cards, 0);
  assert.ok(sum > 10 && sum <= 100, `${sum}`);
  assert.equal(groups.counted("in use", 0, 40).cards, 5);
});

test("declines are counted among the newest answers", () => {
  const groups = cardGroups(MANY);
  for (let nth = 0; nth < 200; nth++) {
    groups.add("g", `card ${nth}`, nth, 300);
    groups.learn("g", `card ${nth}`, nth % 10 === 9 ? "declined" : "approved");
  }
  for (const [sinceMs, newest, expected] of [
    [0, 40, { newest: 40, declined: 4 }],
    [0, 5, { newest: 5, declined: 1 }],
    // As many answers as the settings can ask for are kept.
    [0, 1_000, { newest: 100, declined: 10 }],
    [190, 40, { newest: 10, declined: 1 }],
  ] as const) {
    const { newest: seen, declined } = groups.counted("g", sinceMs, newest);
    assert.deepEqual({ newest: seen, declined }, expected);
  }
  // A wrong CVV that was mended.
  groups.learn("g", "card 199", "approved");
  assert.equal(groups.counted("g", 0, 5).declined, 0);
});
