// The amounts of a transaction as one bar: what was kept, given back, voided, and what can still be captured.

import type { CSSProperties } from "react";
import type { Transaction } from "../../../packages/client/src/openapi.ts";
import { Amount } from "../parts/parts.tsx";
import { decimalOf } from "../words/money.ts";
import { type Division, divisionOf } from "../words/status.ts";
import classes from "./transaction.module.css";

interface Part {
  readonly name: string;
  readonly colour: string;
  readonly of: (division: Division) => number;
}

const PARTS: readonly Part[] = [
  { name: "Captured", colour: "--money-kept", of: ({ kept }) => kept },
  { name: "Refunded", colour: "--money-refunded", of: ({ refunded }) => refunded },
  { name: "Still authorized", colour: "--money-open", of: ({ open }) => open },
  { name: "Voided", colour: "--money-voided", of: ({ voided }) => voided },
];

const coloured = (colour: string) => ({ "--part": `var(${colour})` }) as CSSProperties;

export function AmountsBar({ transaction: { events, currency } }: { readonly transaction: Transaction }) {
  const division = divisionOf(events);
  const parts = PARTS.map((part) => ({ ...part, hundredths: part.of(division) })).filter(
    ({ hundredths }) => hundredths > 0,
  );
  return (
    <>
      <div className={classes.bar} aria-hidden="true">
        {parts.map(({ name, colour, hundredths }) => (
          <span key={name} className={classes.part} style={{ ...coloured(colour), flexGrow: hundredths }} />
        ))}
      </div>
      <ul className={classes.legend}>
        <li>
          <span className={classes.legendName}>Authorized</span>
          <span className={classes.legendAmount}>
            <Amount amount={decimalOf(division.authorized)} currency={currency} />
          </span>
        </li>
        {parts.map(({ name, colour, hundredths }) => (
          <li key={name}>
            <span className={classes.legendName}>
              <span className={classes.dot} style={coloured(colour)} /> {name}
            </span>
            <span className={classes.legendAmount}>
              <Amount amount={decimalOf(hundredths)} currency={currency} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
