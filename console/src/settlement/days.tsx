// The settlement days of a merchant's processors, one band for each schedule. For those who may read the schedules.

import { readsClock, useClock } from "../api/clock.ts";
import { isSandbox, may, useSignedIn } from "../api/session.ts";
import { type ProcessorRecord, useSetup } from "../api/setup.ts";
import { DayBand } from "./day-band.tsx";

export function Days() {
  const who = useSignedIn();
  const reads = may(who, "set_up") || may(who, "operator_read");
  return reads && who?.merchantId !== undefined ? <Bands merchantId={who.merchantId} /> : null;
}

function Bands({ merchantId }: { readonly merchantId: string }) {
  const who = useSignedIn();
  const clock = useClock({ enabled: isSandbox(who) && readsClock(who) });
  const { data: records = [] } = useSetup("processors", merchantId);
  const bySchedule = Map.groupBy(
    records.filter(({ enabled }) => enabled),
    scheduleOf,
  );
  return [...bySchedule].map(([key, alike]) => {
    const [first] = alike;
    if (first === undefined) return null;
    return (
      <DayBand
        key={key}
        names={alike.map(({ name }) => name)}
        schedule={first.settlement}
        now={clock.data ?? new Date()}
      />
    );
  });
}

const scheduleOf = ({ settlement }: ProcessorRecord): string => Object.values(settlement).join(" ");
