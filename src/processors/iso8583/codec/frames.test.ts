import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FRAMINGS } from "../../../../test/fixtures/generated-message.ts";
import { CodecFault } from "./fault.ts";
import { FrameReader, type Framing, frame } from "./frames.ts";

test("a frame is its length and its bytes, in each of the framings", () => {
  const message = Buffer.from("0800");
  for (const [bytes, encoding, expected] of [
    [2, "binary", "\u0000\u00040800"],
    [4, "binary", "\u0000\u0000\u0000\u00040800"],
    [2, "ascii", "040800"],
    [4, "ascii", "00040800"],
  ] as const)
    assert.equal(frame(message, { bytes, encoding }).toString("latin1"), expected);
});

test("frames are cut from a stream however its bytes arrive", () => {
  const messages = fc.array(fc.uint8Array({ minLength: 1, maxLength: 99 }), { minLength: 1, maxLength: 8 });
  const steps = fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1 });
  fc.assert(
    fc.property(messages, fc.constantFrom(...FRAMINGS), steps, (given, framing, sizes) => {
      const stream = Buffer.concat(given.map((bytes) => frame(Buffer.from(bytes), framing)));
      const reader = new FrameReader(framing);
      const cut: Buffer[] = [];
      for (let at = 0, step = 0; at < stream.length; step++) {
        const size = sizes[step % sizes.length] ?? 1;
        const { frames, fault } = reader.push(stream.subarray(at, at + size));
        assert.equal(fault, null);
        cut.push(...frames);
        at += size;
      }
      assert.deepEqual(
        cut,
        given.map((bytes) => Buffer.from(bytes)),
      );
      assert.equal(reader.unfinished, false);
    }),
    { numRuns: 2_000 },
  );
});

test("a length that no message has breaks the stream, and the frames before it are still read", () => {
  for (const [framing, wrong] of [
    [{ bytes: 2, encoding: "binary" }, "\u0000\u0000"],
    [{ bytes: 2, encoding: "binary" }, "\u0010\u0001"],
    [{ bytes: 4, encoding: "binary" }, "\u007f\u00ff\u00ff\u00ff"],
    [{ bytes: 4, encoding: "ascii" }, "4097"],
    [{ bytes: 4, encoding: "ascii" }, "00 9"],
    [{ bytes: 2, encoding: "ascii" }, "00"],
  ] as const satisfies readonly (readonly [Framing, string])[]) {
    const message = Buffer.from("0800");
    const stream = Buffer.concat([frame(message, framing), Buffer.from(wrong, "latin1"), Buffer.from("more")]);
    const { frames, fault } = new FrameReader(framing).push(stream);
    assert.deepEqual(frames, [message]);
    assert.ok(fault instanceof CodecFault);
  }
});

test("half a frame is no frame", () => {
  const reader = new FrameReader({ bytes: 2, encoding: "binary" });
  assert.deepEqual(reader.push(Buffer.from("\u0000\u00040", "latin1")), { frames: [], fault: null });
  assert.equal(reader.unfinished, true);
});

test("what does not fit its length prefix is not framed", () => {
  for (const [framing, length] of [
    [{ bytes: 2, encoding: "ascii" }, 100],
    [{ bytes: 2, encoding: "binary" }, 4097],
    [{ bytes: 4, encoding: "ascii" }, 0],
  ] as const)
    assert.throws(() => frame(Buffer.alloc(length), framing), CodecFault);
});
