// The settlement day as a picture: a band from collecting over cut-off and window to settled, with "now" on it.

import { Text } from "@mantine/core";
import type { CSSProperties } from "react";
import { Panel } from "../parts/parts.tsx";
import { soon, timeOf, until } from "../words/dates.ts";
import { type Mark, type Schedule, sayNow, settlementDay } from "./day.ts";
import classes from "./day-band.module.css";

interface DayBandProps {
  /** Whose schedule it is. */
  readonly names: readonly string[];
  readonly schedule: Schedule;
  readonly now: Date;
}

const at = ({ place }: Mark): CSSProperties => ({ insetInlineStart: `${(100 * place).toFixed(2)}%` });
const wide = (share: number): CSSProperties => ({ width: `${(100 * share).toFixed(2)}%` });

export function DayBand({ names, schedule, now }: DayBandProps) {
  const day = settlementDay(schedule, now);
  const next = [...day.others, day.cutoff, day.ends]
    .filter((mark) => mark.at > now)
    .sort((one, other) => one.at.getTime() - other.at.getTime());
  return (
    <Panel title={names.join(", ")}>
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
      <Text size="sm" mb="xs">
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
