import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { joinedReads } from "./joined-reads.ts";

const GONE = new Error("gone");
const stays = () => new AbortController().signal;

/** Reads that end when they are told. */
function readsOf() {
  const reads = joinedReads<number>();
  const begun: { end: (result: number) => void; fail: (fault: Error) => void; allGone: AbortSignal }[] = [];
  const ask = (signal = stays(), name = "a") =>
    reads.read(name, signal, (allGone) => {
      const { promise, resolve: end, reject: fail } = Promise.withResolvers<number>();
      begun.push({ end, fail, allGone });
      return promise;
    });
  return { reads, begun, ask };
}

describe("equal reads", () => {
  test("that are asked for while one is in flight are one read, which begins after that", async () => {
    const { reads, begun, ask } = readsOf();
    const first = ask();
    const others = [ask(), ask(), ask()];
    await turn();
    assert.equal(begun.length, 1);
    begun[0]?.end(1);
    assert.equal(await first, 1);
    await turn();
    assert.equal(begun.length, 2);
    const late = ask();
    begun[1]?.end(2);
    assert.deepEqual(await Promise.all(others), [2, 2, 2]);
    await turn();
    begun[2]?.end(3);
    assert.equal(await late, 3);
    await turn();
    assert.deepEqual([begun.length, reads.counts().names], [3, 0]);
  });

  test("with other names do not wait for each other", async () => {
    const { begun, ask } = readsOf();
    const both = [ask(stays(), "a"), ask(stays(), "b")];
    for (const [nth, { end }] of begun.entries()) end(nth);
    assert.deepEqual(await Promise.all(both), [0, 1]);
  });

  test("that fail do so for all who share the read, and for nobody else", async () => {
    const { begun, ask } = readsOf();
    const first = ask();
    const others = [ask(), ask()];
    begun[0]?.fail(new Error("broken"));
    await assert.rejects(first, /broken/);
    await turn();
    begun[1]?.fail(new Error("broken too"));
    for (const other of others) await assert.rejects(other, /broken too/);
    const next = ask();
    begun[2]?.end(3);
    assert.equal(await next, 3);
  });

  test("go on while somebody waits for them, and are ended when nobody does", async () => {
    const { begun, ask } = readsOf();
    const [one, other] = [new AbortController(), new AbortController()];
    const [first, second] = [ask(one.signal), ask(other.signal)];
    begun[0]?.end(1);
    await first;
    await turn();
    const third = ask(one.signal);
    other.abort(GONE);
    await assert.rejects(second, GONE);
    assert.equal(begun[1]?.allGone.aborted, true);
    begun[1]?.fail(GONE);
    await turn();
    begun[2]?.end(3);
    assert.equal(await third, 3);
    one.abort(GONE);
    assert.equal(begun[2]?.allGone.aborted, false, "who has the result has not left");
    await assert.rejects(ask(one.signal), GONE);
    assert.equal(begun.length, 3);
  });

  test("that all leave before they begin never begin, and whoever asks then gets another", async () => {
    const { begun, ask } = readsOf();
    const first = ask();
    const [one, other] = [new AbortController(), new AbortController()];
    const left = [ask(one.signal), ask(other.signal)];
    one.abort(GONE);
    other.abort(GONE);
    for (const each of left) await assert.rejects(each, GONE);
    const late = ask();
    begun[0]?.end(1);
    await first;
    await turn();
    assert.equal(begun.length, 2);
    begun[1]?.end(2);
    assert.equal(await late, 2);
  });

  test("never give what is older than the question, whoever asks, leaves and writes in between", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("ask", "write", "leave", "turn", "end"), { minLength: 5, maxLength: 60 }),
        async (steps) => {
          const reads = joinedReads<number>();
          let written = 0;
          let [inFlight, most] = [0, 0];
          const ends: (() => void)[] = [];
          const leaving: AbortController[] = [];
          const work = async () => {
            most = Math.max(most, ++inFlight);
            const seen = written;
            await new Promise<void>((end) => ends.push(end));
            inFlight--;
            return seen;
          };
          const asked: Promise<void>[] = [];
          for (const step of steps) {
            if (step === "write") written++;
            else if (step === "turn") await turn();
            else if (step === "end") ends.shift()?.();
            else if (step === "leave") leaving.shift()?.abort(GONE);
            else {
              const [gone, before] = [new AbortController(), written];
              leaving.push(gone);
              const seen = reads.read("a", gone.signal, work);
              asked.push(
                seen.then(
                  (value) => assert.ok(value >= before && value <= written),
                  (fault) => assert.equal(fault, GONE),
                ),
              );
            }
          }
          while (reads.counts().names > 0) {
            ends.shift()?.();
            await turn();
          }
          await Promise.all(asked);
          assert.ok(most <= 1);
        },
      ),
      { numRuns: 300 },
    );
  });
});
