// Every kind of processor that a record can name. A new one is added here and nowhere else.

import { ISO8583, type Iso8583Parts, iso8583Kind } from "./iso8583/iso8583.ts";
import type { KindDescription, ProcessorKind } from "./kind.ts";
import { simulatorKind } from "./simulator/simulator.ts";

/** By name: for whoever checks and shows records, and opens none. */
export const PROCESSOR_KINDS = byName<KindDescription>(simulatorKind, ISO8583);

/** By name: for whoever opens them. */
export const openableKinds = (parts: Iso8583Parts) => byName<ProcessorKind>(simulatorKind, iso8583Kind(parts));

function byName<Kind extends KindDescription>(...kinds: readonly Kind[]): ReadonlyMap<string, Kind> {
  return new Map(kinds.map((kind) => [kind.name, kind]));
}
