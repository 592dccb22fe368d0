import assert from "node:assert/strict";
import { test } from "node:test";
import { at } from "../../test/transactions.ts";
import { inFlight } from "./in-flight.ts";

const place = (transactionId: string, sequence = 1) => ({ merchantId: "m", transactionId, sequence });

test("with nothing in flight all is clear until now", () => {
  assert.deepEqual(inFlight().clearBefore(at("1 12:00")), at("1 12:00"));
});

test("all is clear before the oldest event in flight", () => {
  const events = inFlight();
  events.add(place("a"), at("1 12:00"));
  events.add(place("b"), at("1 12:01"));
  events.add(place("b", 2), at("1 12:02"));
  assert.equal(events.size, 3);
  assert.deepEqual(events.clearBefore(at("1 13:00")), at("1 12:00"));
  events.remove(place("a"));
  assert.deepEqual(events.clearBefore(at("1 13:00")), at("1 12:01"));
  events.remove(place("b"));
  events.remove(place("b"));
  assert.deepEqual(events.clearBefore(at("1 13:00")), at("1 12:02"));
});

// An event is never older than the one before it in its transaction, which another node with another clock may have made.
test("an event that begins in another node's future hides none that began after it by this one's clock", () => {
  const events = inFlight();
  events.add(place("a", 2), at("2 12:00"));
  assert.deepEqual(events.clearBefore(at("1 12:00")), at("1 12:00"));
  events.add(place("b"), at("1 12:01"));
  assert.deepEqual(events.clearBefore(at("1 13:00")), at("1 12:01"));
});

test("an outcome that waits to be written holds back what is clear, and makes its own event no younger", () => {
  const events = inFlight();
  events.add(place("a"), at("1 12:00"));
  for (const known of ["a", "resolved"]) events.add(place(known), at("1 12:05"));
  assert.deepEqual(events.clearBefore(at("1 13:00")), at("1 12:00"));
  events.remove(place("a"));
  assert.deepEqual(events.clearBefore(at("1 13:00")), at("1 12:05"));
});
