// What the refusals of an operator's disputes say, over HTTP and on the command line.

import type { RefusalName } from "../../payment/refusal.ts";

export const DISPUTE_REFUSALS = {
  "disputed-charge-not-approved": "The charge was not approved: no money moved that could be disputed.",
  "dispute-before-charge": "This is before the charge.",
  "inquiry-moves-no-money": "An inquiry moves no money.",
  "withdrawn-exceeds-disputed": "More than is disputed",
  "withdrawn-in-other-currency": "Money is withdrawn in the currency of the payment.",
  "nothing-captured-to-withdraw": "Nothing of this payment was captured, so nothing can be withdrawn.",
  "withdrawn-exceeds-captured": "More than was captured and other disputes have not withdrawn",
} as const satisfies Partial<Record<RefusalName, string>>;
