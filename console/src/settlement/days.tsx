// The settlement days of a merchant's processors, one band for each schedule and currency, with the money in each part.

import { useSettlement } from "../api/settlement.ts";
import { Fault } from "../parts/states.tsx";
import { DayBand } from "./day-band.tsx";
import { daysOf } from "./parts.ts";

/** @param currency only days of this one */
export function Days({ currency }: { readonly currency?: string }) {
  const { data: settlement, error, refetch } = useSettlement();
  if (settlement === undefined) return error === null ? null : <Fault fault={error} again={() => void refetch()} />;
  return daysOf(settlement.processors)
    .filter((day) => currency === undefined || day.currency === currency)
    .map((day) => (
      <DayBand
        key={[day.currency, ...Object.values(day.schedule)].join(" ")}
        {...day}
        now={new Date(settlement.as_of)}
      />
    ));
}
