// Field 48 of a charge: CVV, address, 3-D Secure, references, travel data.

import type { ThreeDSecure } from "../../../payment/three-d-secure.ts";
import type { CardChargeQuestion } from "../../processor.ts";
import { renderTagged, type Tagged } from "../codec/tagged.ts";
import { TAGS } from "../dialect/tags.ts";
import { airlineData } from "./airline.ts";
import { asciiOf } from "./ascii.ts";

const MOST = 999;

export function privateData(question: CardChargeQuestion): string {
  const { instrument, fields, threeDSecure, passengers, transactionId, merchantTransactionId, ipAddress } = question;
  const rest = renderTagged([
    ...tag("CV", instrument.cvv?.reveal()),
    ...tag("ST", fields.street_address_1),
    ...tag("ZP", fields.zip),
    ...secure(threeDSecure),
    ...tag("TI", transactionId),
    ...tag("MR", merchantTransactionId),
    ...tag("IP", ipAddress ?? undefined),
  ]);
  return (
    rest + (passengers === null ? "" : renderTagged(airlineData(passengers, question.currency, MOST - rest.length)))
  );
}

const secure = (given: ThreeDSecure | null): Tagged =>
  given === null
    ? []
    : [
        ["3C", given.cavv],
        ["3E", given.eci],
        ["3S", given.status],
        ["3V", String(given.version)],
        ["3X", given.xid],
      ];

const tag = (name: keyof typeof TAGS, value: string | undefined): Tagged =>
  value === undefined || value === "" ? [] : [[name, asciiOf(value, TAGS[name].most)]];
