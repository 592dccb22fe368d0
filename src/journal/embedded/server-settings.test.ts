import assert from "node:assert/strict";
import { test } from "node:test";
import { serverSettings } from "./server-settings.ts";

const GiB = 2 ** 30;

const machines: readonly [
  what: string,
  memoryGiB: number,
  freeGiB: number,
  diskGiB: number,
  buffers: string,
  wal: string,
  kept: string,
][] = [
  ["a large machine", 64, 60, 500, "4096MB", "8192MB", "1024MB"],
  ["a machine of 24 GB", 24, 20, 80, "4096MB", "8192MB", "1024MB"],
  ["a laptop of 8 GB", 8, 4, 40, "1638MB", "5120MB", "640MB"],
  ["a large machine whose memory is in use", 64, 1, 500, "512MB", "8192MB", "1024MB"],
  ["a small container", 0.5, 0.4, 2, "102MB", "256MB", "80MB"],
  ["the smallest container with a full disk", 0.05, 0.01, 0, "16MB", "128MB", "80MB"],
];
for (const [what, memoryGiB, freeGiB, diskGiB, buffers, wal, kept] of machines) {
  test(`${what} gets ${buffers} of buffers and ${wal} of write-ahead log, of which it keeps ${kept}`, () => {
    const settings = serverSettings({
      memoryBytes: memoryGiB * GiB,
      availableMemoryBytes: freeGiB * GiB,
      freeDiskBytes: diskGiB * GiB,
    });
    assert.deepEqual([settings.shared_buffers, settings.max_wal_size, settings.min_wal_size], [buffers, wal, kept]);
  });
}
