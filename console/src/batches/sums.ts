// What a batch comes to, from its totals by operation and brand.

import type { Batch } from "../../../packages/client/src/openapi.ts";
import { decimalOf, hundredthsOf } from "../words/money.ts";

export interface Sums {
  readonly taken: string;
  readonly refunded: string;
}

/** Taken is what its sales and captures were before any of them was voided. */
export function sumsOf({ totals }: Pick<Batch, "totals">): Sums {
  const of = (...operations: readonly string[]) =>
    decimalOf(
      totals.reduce(
        (sum, { operation, amount }) => sum + (operations.includes(operation) ? hundredthsOf(amount) : 0),
        0,
      ),
    );
  return { taken: of("sale", "capture"), refunded: of("refund") };
}
