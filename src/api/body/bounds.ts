// How large and how deep a body may be, in every format. Nothing here depends on what the body means, but for the
// larger size that airline data is given.

import { baseFault, type RequestFault } from "../request-fault.ts";

/** Without airline data. */
export const PLAIN_BODY_BYTES = 64 * 1024;
/** With airline data; also what is read at most. */
export const AIRLINE_BODY_BYTES = 1024 * 1024;

/** Objects and lists inside each other, the body itself included. */
export const MAX_DEPTH = 32;
/** Values that are no object or list, plus empty ones: exactly the fields of a form. 400 passengers with two legs fit. */
export const MAX_VALUES = 10_000;
/** Objects and lists. Without this bound a body could cost a hundred times its size in memory. */
export const MAX_BRANCHES = 10_000;

export function tooLarge(): RequestFault {
  const plain = PLAIN_BODY_BYTES / 1024;
  const airline = AIRLINE_BODY_BYTES / 1024;
  return baseFault(413, `A body may have ${plain} KiB, or ${airline} KiB with passenger_transport.`);
}

export function tooDeep(): RequestFault {
  return baseFault(400, `Values may be nested ${MAX_DEPTH} levels deep and no deeper.`);
}

export function tooMany(): RequestFault {
  return baseFault(413, `A request may have ${MAX_VALUES} fields, and no more objects and lists than that.`);
}

export function forbiddenKey(): RequestFault {
  return baseFault(400, "No field may be called __proto__, nor may constructor or prototype hold other fields.");
}
