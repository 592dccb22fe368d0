// The amounts of a transaction: what was authorized and captured in all, and as one bar what became of it.

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
  { name: "Kept", colour: "--money-kept", of: ({ kept }) => kept },
  { name: "Refunded", colour: "--money-refunded", of: ({ refunded }) => refunded },
  { name: "Still authorized", colour: "--money-open", of: ({ open }) => open },
  { name: "Voided", colour: "--money-voided", of: ({ voided }) => voided },
];

/** Totals, also of what was given back since. */
const SUMS: readonly Omit<Part, "colour">[] = [
  { name: "Authorized", of: ({ authorized }) => authorized },
  { name: "Captured", of: ({ captured }) => captured },
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
        {SUMS.filter(({ of }) => of(division) > 0).map(({ name, of }) => (
          <li key={name}>
            <span className={classes.legendName}>{name}</span>
            <span className={classes.legendAmount}>
              <Amount amount={decimalOf(of(division))} currency={currency} />
            </span>
          </li>
        ))}
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
