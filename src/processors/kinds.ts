// Every kind of processor that a record can name. A new one is added here and nowhere else.

import type { ProcessorKind } from "./kind.ts";
import { simulatorKind } from "./simulator/simulator.ts";

/** By name. */
export const PROCESSOR_KINDS: ReadonlyMap<string, ProcessorKind> = new Map(
  [simulatorKind].map((kind) => [kind.name, kind]),
);
