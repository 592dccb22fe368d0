// How much of the machine is left over.

import { cpus } from "node:os";

/** @returns a function that tells the share of all cores that had nothing to do since, in percent */
export function idleSince(): () => number {
  const before = times();
  return () => {
    const after = times();
    return ((after.idle - before.idle) / (after.all - before.all)) * 100;
  };
}

function times(): { readonly idle: number; readonly all: number } {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const each = cpus().map((core) => core.times);
  return { idle: sum(each.map(({ idle }) => idle)), all: sum(each.map((one) => sum(Object.values(one)))) };
}
