// The settlement days of a merchant's processors: a picture for each schedule and currency, a band from collecting over cut-off and window
// to settled, with "now" on it and the money in each part.

import { Text } from "@mantine/core";
import type { CSSProperties } from "react";
import { useSettlement } from "../api/settlement.ts";
import { Amount, Panel } from "../parts/parts.tsx";
import { Fault } from "../parts/states.tsx";
import { soon, timeOf, until } from "../words/dates.ts";
import { decimalOf } from "../words/money.ts";
import { type Mark, sayNow, settlementDay } from "./day.ts";
import classes from "./day-band.module.css";
import { type DayOfProcessors, daysOf } from "./parts.ts";

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

interface DayBandProps extends DayOfProcessors {
  readonly now: Date;
}

const at = ({ place }: Mark): CSSProperties => ({ insetInlineStart: `${(100 * place).toFixed(2)}%` });
const wide = (share: number): CSSProperties => ({ width: `${(100 * share).toFixed(2)}%` });

function DayBand(props: DayBandProps) {
  const { names, schedule, currency, now } = props;
  const day = settlementDay(schedule, now);
  const next = [...day.others, day.cutoff, day.ends]
    .filter((mark) => mark.at > now)
    .sort((one, other) => one.at.getTime() - other.at.getTime());
  return (
    <Panel title={`Settlement day in ${currency}`}>
      <Text size="sm" c="dimmed">
        {names.join(", ")}
      </Text>
      <div className={classes.day}>
        <div className={classes.band} aria-hidden="true">
          <span className={classes.collecting} style={wide(day.cutoff.place)}>
            Collecting
          </span>
          <span className={classes.settling} style={wide(1 - day.cutoff.place)}>
            Settling
          </span>
          {day.others.map((mark) => (
            <span key={mark.name} className={classes.tick} style={at(mark)} />
          ))}
          <span className={classes.now} style={at(day.now)}>
            <b>{timeOf(now)}</b>
          </span>
        </div>
      </div>
      <Parts {...props} />
      <Text size="sm" my="sm">
        {sayNow(day)}
      </Text>
      <ol className={classes.marks} aria-label="What comes next">
        {next.map((mark) => (
          <li key={mark.name}>
            <Text size="sm" fw={560} component="span">
              {mark.name}
            </Text>
            <Text size="sm" c="dimmed" component="span" className="figures">
              {soon(mark.at, now)}, {until(mark.at, now)}
            </Text>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** In the order in which money moves through them. */
const PARTS = [
  { part: "awaiting", name: "Waits for automatic capture", colour: "var(--money-open)" },
  { part: "collecting", name: "Collecting", colour: "var(--money-kept)" },
  { part: "settling", name: "Settling", colour: "var(--money-refunded)" },
  { part: "settled", name: "Settled, last 24 hours", colour: "var(--good)" },
] as const;

function Parts(props: DayBandProps) {
  const { schedule, currency } = props;
  const shown = PARTS.filter(({ part }) => part !== "awaiting" || schedule.auto_capture_at !== null);
  return (
    <ul className={classes.parts} aria-label="Money in each part of the day">
      {shown.map(({ part, name, colour }) => (
        <li key={part}>
          <span className={classes.part}>
            <i className={classes.dot} style={{ background: colour }} aria-hidden="true" /> {name}
          </span>
          <span className={classes.sum}>
            <Amount amount={decimalOf(props[part].hundredths)} currency={currency} />
          </span>
          <Text size="xs" c="dimmed" component="span">
            {props[part].count.toLocaleString("en")} {props[part].count === 1 ? "operation" : "operations"}
          </Text>
        </li>
      ))}
    </ul>
  );
}
