// The fields of a capture, a void and a refund: specification 4.5, decisions R6 and R12.

import Type, { type Static } from "typebox";
import { COMPONENT } from "../openapi/components.ts";
import { MOST_PASSENGERS } from "./charge.ts";
import { amount, formatted, uuid } from "./fields.ts";

const currency = Type.Optional(
  formatted("currency", "an ISO 4217 code in capitals, such as USD", {
    description: "If sent, that of the transaction.",
  }),
);

export const FollowUpBody = Type.Object({
  amount: Type.Optional(
    amount({ description: "Default: all that remains. Required with airline data.", examples: ["3.56"] }),
  ),
  currency,
  ip_address: Type.Optional(
    formatted("ip", "an IPv4 or IPv6 address", { description: "Customer IP address.", examples: ["203.0.113.7"] }),
  ),
  passenger_transport: Type.Optional(
    Type.Array(
      Type.Object(
        {
          passenger_id: uuid({ description: "From the response to the auth or sale; each once." }),
          amount: amount({ description: "This passenger's part of the amount.", examples: ["150.25"] }),
        },
        { [COMPONENT]: "PassengerAmount", description: "A passenger, and this passenger's part of the amount." },
      ),
      {
        maxItems: MOST_PASSENGERS,
        "x-must-be": `a list of at most ${MOST_PASSENGERS} passengers`,
        description: "Required with airline data. The amounts must add up to `amount`. An empty list counts as absent.",
      },
    ),
  ),
});

/** A reversal takes neither amount nor passengers. */
export const ReversalBody = Type.Object({
  currency,
  ip_address: Type.Optional(formatted("ip", "an IPv4 or IPv6 address", { description: "Customer IP address." })),
});

export type FollowUpFields = Static<typeof FollowUpBody>;
