// Amounts over time as columns. The same figures stand below as a table for those who do not see them.

import { VisuallyHidden } from "@mantine/core";
import { dateOf, timeOf } from "../words/dates.ts";
import { decimalOf, grouped } from "../words/money.ts";
import classes from "./overview.module.css";
import type { Step } from "./steps.ts";

export interface Column {
  readonly at: Date;
  /** Hundredths. */
  readonly minor: number;
  readonly count: number;
}

interface ColumnsProps {
  readonly columns: readonly Column[];
  readonly step: Step;
  readonly currency: string;
}

const nameOf = (at: Date, step: Step): string =>
  step === "hour" ? `${dateOf(at)}, ${timeOf(at)}` : step === "day" ? dateOf(at) : dateOf(at).replace(/^\d+ /, "");

export function Columns({ columns, step, currency }: ColumnsProps) {
  const most = Math.max(1, ...columns.map(({ minor }) => minor));
  const [first, last] = [columns[0], columns.at(-1)];
  const said = ({ at, minor, count }: Column) =>
    `${nameOf(at, step)}: ${grouped(decimalOf(minor), currency)} ${currency}, ${count} charges`;
  return (
    <div>
      <div className={classes.most}>
        {grouped(decimalOf(most), currency)} {currency}
      </div>
      <div className={classes.columns} aria-hidden="true">
        {columns.map((column) => (
          <span key={column.at.getTime()} className={classes.column} title={said(column)}>
            <i style={{ height: `${Math.max(column.minor > 0 ? 2 : 0, (100 * column.minor) / most)}%` }} />
          </span>
        ))}
      </div>
      <div className={classes.ends} aria-hidden="true">
        <span>{first && nameOf(first.at, step)}</span>
        <span>{last && nameOf(last.at, step)}</span>
      </div>
      <VisuallyHidden>
        <ul>
          {columns
            .filter(({ count }) => count > 0)
            .map((column) => (
              <li key={column.at.getTime()}>{said(column)}</li>
            ))}
        </ul>
      </VisuallyHidden>
    </div>
  );
}
