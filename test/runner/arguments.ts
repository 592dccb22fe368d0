// What `npm test --` is told: steps, parts of paths, and how many shards.

import { randomInt } from "node:crypto";
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

export const STEPS = ["types", "lint", "tests", "acceptance"] as const;
const QUICK_STEPS = ["types", "lint", "tests"] as const;
export type Step = (typeof STEPS)[number];

export interface Wanted {
  readonly steps: ReadonlySet<Step>;
  /** Test files whose path has one of these in it; all of them if there is none. */
  readonly patterns: readonly string[];
  /** Which files are test files. */
  readonly files: string;
  /** Where the black-box checks are, if they are there. */
  readonly acceptance: string;
  readonly shards: number;
  readonly deadlineMs: number;
  /** Of all that is random. */
  readonly seed: number;
  /** Whether the files that want the machine to themselves are run without being named, too. */
  readonly siege: boolean;
  /** Whether the foreign steps are run, too (test/foreign/steps.ts). */
  readonly foreign: boolean;
  /** Only what says something within a minute and a half (quick.ts). */
  readonly quick: boolean;
  /** Random runs at their full size, and only the files that have any. */
  readonly full: boolean;
}

/** Where the black-box checks lie beside the project. */
export const ACCEPTANCE = join(import.meta.dirname, "../../../shared/acceptance");
const TEST_FILES = "{src,test,bench,acquirer,hosts}/**/*.test.ts";
/** Ten times what the slowest file takes by itself: for eight shards on two cores. */
const DEADLINE_S = 600;
/** A worker with its database and the gateways that some tests start. */
export const SHARD_BYTES = 2 ** 30;

/** @throws Error in words */
export function wantedBy(parameters: readonly string[]): Wanted {
  const option = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      shards: option,
      files: option,
      acceptance: option,
      deadline: option,
      seed: option,
      siege: { type: "boolean", default: false },
      foreign: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      full: { type: "boolean", default: false },
    },
  });
  if (values.quick && (positionals.length > 0 || values.siege || values.foreign || values.full))
    throw new Error("--quick says itself what is run");
  const named = STEPS.filter((step) => positionals.includes(step));
  const patterns = positionals.filter((word) => !named.some((step) => step === word));
  return {
    steps: new Set(
      values.quick
        ? QUICK_STEPS
        : positionals.length === 0
          ? values.full
            ? ["tests"]
            : STEPS
          : patterns.length > 0
            ? [...named, "tests"]
            : named,
    ),
    patterns,
    files: values.files ?? TEST_FILES,
    acceptance: values.acceptance ?? ACCEPTANCE,
    shards: values.shards === undefined ? shardsHere() : whole(values.shards, "--shards"),
    seed: values.seed === undefined ? randomInt(1, 2 ** 31) : whole(values.seed, "--seed"),
    siege: values.siege,
    foreign: values.foreign,
    quick: values.quick,
    full: values.full,
    deadlineMs:
      1000 *
      (values.deadline === undefined ? DEADLINE_S * (values.full ? 10 : 1) : whole(values.deadline, "--deadline")),
  };
}

/**
 * Three times as many as there are processors: a shard waits for more than half of its time. On two fast ones four shards used 1.4 of
 * them and took 270 s for all but the siege, six used 1.7 and took 209 s.
 */
const shardsHere = (): number =>
  Math.max(1, Math.min(availableParallelism() * 3, Math.floor(memoryBytes() / SHARD_BYTES)));

/** Of this container, or of the machine. */
function memoryBytes(): number {
  const limit = process.constrainedMemory(); // 0 or beyond all measure without one
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem();
}

function whole(text: string, name: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`${name} is a whole number from 1 on, not ${text}`);
  return Number(text);
}
