// The figures of the charts as a table, for who does not see them or wants them exactly. Steps in which nothing happened are left out.

import { Box } from "@mantine/core";
import table from "../transactions/transactions.module.css";
import { decimalOf, grouped } from "../words/money.ts";
import classes from "./overview.module.css";
import { nameOf, type Point } from "./series.ts";
import type { Step } from "./steps.ts";
import { percent } from "./words.ts";

interface PointTableProps {
  readonly points: readonly Point[];
  readonly step: Step;
  readonly currency: string;
}

interface Column {
  readonly name: string;
  readonly figure: (point: Point) => string;
}

export function PointTable({ points, step, currency }: PointTableProps) {
  const shown = points.filter(({ count, refunded }) => count > 0 || refunded > 0);
  const columns = columnsIn(currency);
  if (shown.length === 0) return null;
  return (
    <details className={classes.exactly}>
      <summary>The charts as a table</summary>
      <Box component="section" className={classes.scrolled} aria-label="The charts as a table" tabIndex={0}>
        <table className={table.table}>
          <thead>
            <tr>
              <th>When (UTC)</th>
              {columns.map(({ name }) => (
                <th key={name} className={table.number}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((point) => (
              <tr key={point.at.getTime()}>
                <td>{nameOf(point.at, step)}</td>
                {columns.map(({ name, figure }) => (
                  <td key={name} className={table.number}>
                    {figure(point)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </details>
  );
}

function columnsIn(currency: string): readonly Column[] {
  const count = (number: number) => number.toLocaleString("en");
  return [
    { name: `Approved (${currency})`, figure: ({ hundredths }) => grouped(decimalOf(hundredths), currency) },
    { name: `Refunded (${currency})`, figure: ({ refunded }) => grouped(decimalOf(refunded), currency) },
    { name: "Charges", figure: (point) => count(point.count) },
    { name: "Approved", figure: ({ approved }) => count(approved) },
    { name: "Declined", figure: ({ declined }) => count(declined) },
    { name: "In doubt", figure: ({ unknown }) => count(unknown) },
    { name: "Approval rate", figure: ({ rate }) => percent(rate) },
  ];
}
