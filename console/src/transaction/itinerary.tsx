// Passengers with their tickets, legs and shares of the money.

import { Text } from "@mantine/core";
import type { BookedLeg, Passenger } from "../../../packages/client/src/openapi.ts";
import { Icon } from "../parts/icons.tsx";
import { Amount, Panel } from "../parts/parts.tsx";
import { dateOf } from "../words/dates.ts";
import { grouped, hundredthsOf } from "../words/money.ts";
import classes from "./transaction.module.css";

interface ItineraryProps {
  readonly passengers: readonly Passenger[];
  readonly currency: string;
}

export function Itinerary({ passengers, currency }: ItineraryProps) {
  return (
    <Panel title={passengers.length === 1 ? "Passenger" : `${passengers.length} passengers`}>
      {passengers.map((passenger) => (
        <div key={passenger.id} className={classes.passenger}>
          <div className={classes.passengerHead}>
            <Text fw={600}>{passenger.passenger_name}</Text>
            <Text size="sm" c="dimmed">
              {sharesOf(passenger, currency)}
            </Text>
          </div>
          <Text size="sm" c="dimmed">
            Ticket <span className="code">{passenger.ticket_number}</span>, {passenger.ticket_issuing_carrier_name},{" "}
            {passenger.ticket_issuing_city}, <span className="unbroken">{dateOf(passenger.ticket_issuing_date)}</span>
            {passenger.restricted_ticket_indicator && " · restricted"}
          </Text>
          <ol className={classes.legs}>
            {passenger.legs.map((leg) => (
              <Leg
                key={`${leg.departure_airport} ${leg.departure_date} ${leg.fare_basis}`}
                leg={leg}
                currency={currency}
              />
            ))}
          </ol>
        </div>
      ))}
    </Panel>
  );
}

/** Those totals that are there. */
function sharesOf({ totals }: Passenger, currency: string): string {
  const parts = [
    ["authorized", totals.authorized],
    ["captured", totals.captured],
    ["voided", totals.voided],
    ["refunded", totals.refunded],
  ] as const;
  return parts
    .filter(([, amount]) => hundredthsOf(amount) > 0)
    .map(([name, amount]) => `${grouped(amount, currency)}\u00a0${name}`)
    .join(" · ");
}

function Leg({ leg, currency }: { readonly leg: BookedLeg; readonly currency: string }) {
  return (
    <li className={classes.leg}>
      <span className={classes.way}>
        {leg.departure_airport}
        <Icon name="plane" size={14} />
        {leg.destination_airport}
      </span>
      <Text size="sm" c="dimmed" component="span">
        {dateOf(leg.departure_date)} · {leg.carrier_code} {leg.flight_number} · class {leg.service_class} ·{" "}
        {leg.fare_basis}
      </Text>
      <Amount amount={leg.fare} currency={currency} />
    </li>
  );
}
