// Every kind of processor that a record can name. A new one is a line here.

import { adyenKind } from "./adyen/adyen.ts";
import { iso8583Kind } from "./iso8583/iso8583.ts";
import type { ProcessorKind, ProcessorKinds } from "./kind.ts";
import { simulatorKind } from "./simulator/simulator.ts";
import { stripeKind } from "./stripe/stripe.ts";

const KINDS: readonly ProcessorKind[] = [simulatorKind, iso8583Kind, stripeKind, adyenKind];

/** By their names. */
export const PROCESSOR_KINDS: ProcessorKinds = new Map(KINDS.map((kind) => [kind.name, kind]));
