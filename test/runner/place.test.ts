// Where a run keeps its temporary files: in memory only where nothing speaks against it.

import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { type Machine, placeFor } from "./place.ts";

const GIB = 2 ** 30;
const ROOMY: Machine = {
  chosen: undefined,
  mounts: "/dev/sda / ext4 rw 0 0\ntmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0\n",
  freeInMemoryBytes: 4 * GIB,
  availableMemoryBytes: 8 * GIB,
};

test("temporary files are in memory where there is room for the data and the processes of each shard", () => {
  assert.equal(placeFor(4, GIB, ROOMY), "/dev/shm");
});

for (const [what, over] of [
  ["TMPDIR names another place", { chosen: "/elsewhere" }],
  ["a byte is missing there", { freeInMemoryBytes: 4 * GIB - 1 }],
  ["a byte of memory is missing", { availableMemoryBytes: 8 * GIB - 1 }],
  ["no program may run there", { mounts: "tmpfs /dev/shm tmpfs rw,noexec 0 0\n" }],
  ["nothing may be written there", { mounts: "tmpfs /dev/shm tmpfs ro 0 0\n" }],
  ["it is a disk", { mounts: "/dev/sda /dev/shm ext4 rw 0 0\n" }],
  ["it is not there", { mounts: "/dev/sda / ext4 rw 0 0\n" }],
  ["something else was mounted over it", { mounts: `${ROOMY.mounts}/dev/sda /dev/shm ext4 rw 0 0\n` }],
] as const)
  test(`they are where the system has them if ${what}`, () => {
    assert.equal(placeFor(4, GIB, { ...ROOMY, ...over }), tmpdir());
  });
