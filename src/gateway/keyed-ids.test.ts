import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { handClock } from "../../test/hand-clock.ts";
import { isUuid, timeOfId } from "../uuid.ts";
import { endIn, hashIn, isHashOf, keyedIds } from "./keyed-ids.ts";

const MERCHANT = "0193e5b0-7c1a-7fff-9d54-000000000001";
const OTHER = "0193e5b0-7c1a-7fff-9d54-000000000002";
const hash = (text: string) => createHmac("sha256", "secret").update(text).digest();
const clock = handClock(new Date("2030-05-15T12:00:00.000Z"));
const ids = keyedIds(hash, clock);
const claim = (key: string, body = "{}") => ({ key, requestHash: hash(body) });

test("an id of any request is of version 7 and begins with the time, with a key or without", () => {
  fc.assert(
    fc.property(fc.option(fc.string({ minLength: 1, maxLength: 255 })), fc.nat(4_000_000_000_000), (key, at) => {
      const then = keyedIds(hash, handClock(new Date(at)));
      const id = then.newId({ merchantId: MERCHANT, claim: key === null ? null : claim(key) });
      assert.ok(isUuid(id), id);
      assert.match(id, /^.{14}7.{4}[89ab]/);
      assert.equal(timeOfId(id), at);
    }),
  );
});

test("what a request with a key opens ends with what the key alone gives; each merchant, key and secret has another end", () => {
  const end = (merchantId: string, key: string, from = ids) => endIn(from.newId({ merchantId, claim: claim(key) }));
  const first = end(MERCHANT, "order 1");
  assert.equal(first, ids.endOf(MERCHANT, "order 1"));
  assert.equal(end(MERCHANT, "order 1"), first);
  const elsewhere = keyedIds((text) => createHmac("sha256", "another").update(text).digest(), clock);
  const others = [
    ...[end(OTHER, "order 1"), end(MERCHANT, "order 2"), end(MERCHANT, "Order 1"), end(MERCHANT, " order 1")],
    end(MERCHANT, "order 1", elsewhere),
  ];
  assert.equal(new Set([first, ...others]).size, 6);
});

test("without a key no two ids have the same end", () => {
  const made = Array.from({ length: 10_000 }, () => endIn(ids.newId({ merchantId: MERCHANT, claim: null })));
  assert.equal(new Set(made).size, made.length);
});

test("an id tells twelve bits of its request's hash; an id that no request has made tells none", () => {
  const [one, other] = [hash("a"), hash("b")];
  const id = ids.newId({ merchantId: MERCHANT, claim: { key: "k", requestHash: one } });
  const told = hashIn(id);
  assert.ok(told !== undefined);
  assert.deepEqual([isHashOf(told, one), isHashOf(told, other)], [true, false]);
  assert.deepEqual([isHashOf(one, one), isHashOf(one, other)], [true, false]);
  const last = Buffer.from(one);
  last[31] = (last[31] ?? 0) ^ 1;
  assert.equal(isHashOf(one, last), false);
  assert.equal(hashIn(`${id.slice(0, 14)}8${id.slice(15)}`), undefined);
});
