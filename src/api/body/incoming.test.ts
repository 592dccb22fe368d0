// A body is what was announced, or nothing.

import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { test } from "node:test";
import { readBytes } from "./incoming.ts";

const read = (pieces: readonly string[], announced: number) =>
  readBytes(Readable.from(pieces.map((piece) => Buffer.from(piece))), announced, 100);

test("a body that ends before the length announced is refused, also if nothing came of it", async () => {
  for (const pieces of [[], ["a"], ["ab", "c"]]) await assert.rejects(read(pieces, 4), { status: 400 });
});

test("a body of the length announced is read whole, and so is one in chunks, which announces none", async () => {
  for (const announced of [4, Number.NaN]) {
    assert.equal(String(await read(["ab", "cd"], announced)), "abcd");
    assert.equal(String(await read(["abcd"], announced)), "abcd");
  }
  assert.equal(String(await read([], 0)), "");
});

test("a body that is all there is read at once, in one piece or several, and its stream ends", async () => {
  for (const pieces of [["abcd"], ["ab", "cd"]]) {
    const incoming = new Readable({ read: () => undefined });
    for (const piece of [...pieces, null]) incoming.push(piece);
    const bytes = readBytes(incoming, 4, 100);
    assert.deepEqual(incoming.eventNames(), []);
    assert.equal(String(await bytes), "abcd");
    await once(incoming, "end");
  }
});

test("a body that is all there and was given up with its connection is refused", async () => {
  const incoming = new Readable({ read: () => undefined });
  incoming.push("abcd");
  incoming.destroy();
  await assert.rejects(readBytes(incoming, 4, 100), { status: 400 });
});

test("a piece counts for more than its bytes while the rest is on its way, since Node keeps more of it", async () => {
  let counted = 0;
  const pieces = Array.from({ length: 50 }, () => Buffer.from("a"));
  const came = (bytes: number): void => {
    counted += bytes;
  };
  await readBytes(Readable.from(pieces), Number.NaN, 100, () => ({ came, end: () => undefined }));
  assert.ok(counted >= 50 * 300, `${counted}`);
});
