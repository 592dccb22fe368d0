// The link cut at any byte, of the question or of the answer: what was approved is booked, and whatever was not is taken
// back. Nothing in between.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { FollowUpQuestion, Processor } from "../../src/processors/processor.ts";
import { openProcessor, testHost, testRecord, testSettings, type Writing } from "./iso8583-subject.ts";
import { chargeQuestion, followUpQuestion, timeoutReversalQuestion } from "./questions.ts";

const WRITING: Writing = { framing: "binary-2", digits: "ascii", bitmap: "binary" };
const LANES = 6;
/** Every byte by hand: CUT_EVERY=1. */
const EVERY = Number(process.env.CUT_EVERY ?? 13);

type Direction = "question" | "answer";

/** A way to the host that ends once so many bytes have gone through in one direction. */
async function cuttingWay(hostPort: number) {
  let cut: { readonly direction: Direction; left: number } | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((gateway) => {
    const host = connect({ port: hostPort, host: "127.0.0.1" });
    const carry = (from: Socket, to: Socket, direction: Direction) => {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on("data", (chunk: Buffer) => {
        if (cut?.direction !== direction) return to.write(chunk);
        if (chunk.length < cut.left) {
          cut.left -= chunk.length;
          return to.write(chunk);
        }
        to.end(chunk.subarray(0, cut.left));
        from.destroy();
        cut = undefined;
        return false;
      });
    };
    carry(gateway, host, "question");
    carry(host, gateway, "answer");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    cutAfter: (direction: Direction, left: number) => {
      cut = { direction, left };
    },
    whole: () => {
      cut = undefined;
    },
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The same work for each of these, a few at a time. */
async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Asked again and again under its own reference, as the gateway does. */
async function untilAnswered(processor: Processor, question: FollowUpQuestion, asked: () => void): Promise<string> {
  for (let time = 0; time < 20; time++) {
    const { kind } = await processor.followUp(question, AbortSignal.timeout(5_000));
    asked();
    if (kind === "approved" || kind === "declined") return kind;
    await pause(10);
  }
  return "never answered";
}

const CUTS = (["question", "answer"] as const).flatMap((direction) => {
  const longest = direction === "question" ? 300 : 200;
  return Array.from({ length: Math.ceil(longest / EVERY) }, (_, index) => [direction, 1 + index * EVERY] as const);
});

test("cut at any byte, a sale is approved and booked, or unanswered and taken back", { timeout: 120_000 }, async () => {
  const host = await testHost(WRITING);
  const kinds = new Map<string, number>();
  await inLanes(CUTS, async ([direction, bytes]) => {
    const way = await cuttingWay(host.port);
    const processor = openProcessor(testRecord(testSettings(way.port, WRITING)));
    assert.equal((await processor.health(AbortSignal.timeout(5_000))).reachable, true);
    way.cutAfter(direction, bytes);
    const sale = chargeQuestion("sale");
    const answer = await processor.charge(sale, AbortSignal.timeout(5_000));
    kinds.set(answer.kind, (kinds.get(answer.kind) ?? 0) + 1);
    way.whole();
    const told = `${direction} cut after ${bytes} bytes: ${answer.kind}`;
    if (answer.kind === "approved") assert.equal(host.books.balance(sale.transactionId), 1000n, told);
    else {
      assert.equal(answer.kind, "unanswered", told);
      const reversal = timeoutReversalQuestion(sale);
      assert.equal((await processor.timeoutReversal(reversal, AbortSignal.timeout(5_000))).kind, "confirmed", told);
      assert.equal(host.books.balance(sale.transactionId), 0n, told);
    }
    await processor.close();
    way.stop();
  });
  await host.stop();
  assert.ok((kinds.get("approved") ?? 0) > 0 && (kinds.get("unanswered") ?? 0) > 0, "both were seen");
});

test("cut at any byte, a capture is asked again until it is answered, and booked once", {
  timeout: 120_000,
}, async () => {
  const host = await testHost(WRITING);
  await inLanes(CUTS, async ([direction, bytes]) => {
    const way = await cuttingWay(host.port);
    const processor = openProcessor(testRecord(testSettings(way.port, WRITING)));
    const auth = chargeQuestion("auth");
    const approved = await processor.charge(auth, AbortSignal.timeout(5_000));
    assert.ok(approved.kind === "approved");
    const capture = followUpQuestion("capture", auth, approved.processorResponse, { minor: 600n });
    way.cutAfter(direction, bytes);
    assert.equal(await untilAnswered(processor, capture, way.whole), "approved");
    // 6.00 captured once, and 4.00 of it still there to capture. The cut may come just after the answer.
    const rest = followUpQuestion("capture", auth, approved.processorResponse, { minor: 400n });
    assert.equal(await untilAnswered(processor, rest, way.whole), "approved");
    const more = followUpQuestion("capture", auth, approved.processorResponse, { minor: 1n });
    assert.equal(await untilAnswered(processor, more, way.whole), "declined");
    await processor.close();
    way.stop();
  });
  await host.stop();
});
