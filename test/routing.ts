// For tests of the routing: a charge that any processor takes, and records.

import { ORDINARY_TERMS } from "../src/payment/account-terms.ts";
import { cardNumber } from "../src/payment/card.ts";
import { CARD_BRANDS } from "../src/payment/card-brand.ts";
import { amountOf } from "../src/payment/money.ts";
import type { ProcessorRecord } from "../src/payment/processor-record.ts";
import type { Candidate, Routable } from "../src/payment/routing.ts";
import { defaultSchedule } from "../src/payment/settlement.ts";

type Given = Partial<Omit<ProcessorRecord, "requires">> & {
  readonly requires?: Partial<ProcessorRecord["requires"]>;
  readonly brands?: readonly string[];
  readonly cannotExpress?: Candidate["cannotExpress"];
};

/** An ordinary US dollar account that takes every brand, except for what is given. */
export const candidate = (
  id: string,
  { requires, brands = CARD_BRANDS, cannotExpress = () => [], ...given }: Given = {},
): Candidate => ({
  record: {
    id,
    merchantId: "m",
    name: id,
    kind: "simulator",
    currency: "USD",
    enabled: true,
    inRotation: true,
    requires: { cvv: [], names: false, document: false, ...requires },
    terms: ORDINARY_TERMS,
    schedule: defaultSchedule("USD"),
    settings: {},
    ...given,
  },
  takes: (brand) => brands.includes(brand),
  cannotExpress,
});

export const ROUTABLE: Routable = {
  processorId: undefined,
  currency: undefined,
  brand: "visa",
  hasCvv: false,
  firstName: undefined,
  lastName: undefined,
  documentNumber: undefined,
  amounts: [{ field: "amount", amount: amountOf(1_050n) }],
  number: cardNumber("4111111111111111"),
  country: undefined,
  threeDSecure: null,
  passengers: 0,
  meta: null,
};
