// How large and how deep a body may be, in every format. Nothing here depends on what the body means, except that
// airline data may be larger.

import { baseFault, type RequestFault } from "../request-fault.ts";

/** Without airline data. */
export const PLAIN_BODY_BYTES = 64 * 1024;
/** With airline data; also what is read at most. */
export const AIRLINE_BODY_BYTES = 1024 * 1024;

/** Objects and lists inside each other, the body itself included. */
export const MAX_DEPTH = 32;
/** Values that are no object or list, plus empty ones: exactly the fields of a form. Airline data is counted apart. */
export const MAX_VALUES = 10_000;
/** Values of airline data: 100 passengers with 20 legs each are 16,800, and what fits into its size is not much more. */
const MAX_AIRLINE_VALUES = 40_000;
/** Of all fields together: what is read before they are told apart. */
export const MOST_VALUES = MAX_VALUES + MAX_AIRLINE_VALUES;
export const AIRLINE_FIELD = "passenger_transport";
/** Objects and lists. Without this bound a body could cost a hundred times its size in memory. */
export const MAX_BRANCHES = 10_000;

/** @param mostHere of a route whose bodies are small */
export function tooLarge(mostHere?: number): RequestFault {
  if (mostHere !== undefined) return baseFault(413, `A body may have ${mostHere / 1024} KiB here.`);
  const plain = PLAIN_BODY_BYTES / 1024;
  const airline = AIRLINE_BODY_BYTES / 1024;
  return baseFault(413, `A body may have ${plain} KiB, or ${airline} KiB with passenger_transport.`);
}

/** @throws RequestFault */
export function boundValues(total: number, ofAirlineData: () => number): void {
  if (total <= MAX_VALUES) return;
  const airline = ofAirlineData();
  if (airline > MAX_AIRLINE_VALUES || total - airline > MAX_VALUES) throw tooMany();
}

export function tooDeep(): RequestFault {
  return baseFault(400, `Values may be nested ${MAX_DEPTH} levels deep and no deeper.`);
}

export function tooMany(): RequestFault {
  return baseFault(
    413,
    `A request may have ${MAX_VALUES} fields beside its passengers, and no more objects and lists than that.`,
  );
}

export function forbiddenKey(): RequestFault {
  return baseFault(400, "No field may be called __proto__, nor may constructor or prototype hold other fields.");
}
