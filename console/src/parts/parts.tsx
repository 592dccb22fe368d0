// The small parts that most pages are made of: an amount, a status, a panel, a list of facts, a value to copy, a link.

import { Title } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import type { AnchorHTMLAttributes, CSSProperties, ReactNode } from "react";
import { Link } from "wouter";
import { grouped } from "../words/money.ts";
import type { StatusLabel } from "../words/status.ts";
import classes from "./parts.module.css";

export function Amount({ amount, currency }: { readonly amount: string; readonly currency: string }) {
  return (
    <span className={classes.amount}>
      {grouped(amount, currency)}
      <span className={classes.currency}>{currency}</span>
    </span>
  );
}

export function Status({ label: { word, tone } }: { readonly label: StatusLabel }) {
  const colours = { "--tone": `var(--${tone})`, "--tone-soft": `var(--${tone}-soft)` } as CSSProperties;
  return (
    <span className={classes.status} style={colours}>
      {word}
    </span>
  );
}

interface PanelProps {
  readonly title?: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  /** Without room around: for tables. */
  readonly flush?: boolean;
}

export function Panel({ title, aside, children, flush = false }: PanelProps) {
  return (
    <section className={classes.panel} aria-label={title}>
      {title !== undefined && (
        <div className={classes.head}>
          <Title order={2}>{title}</Title>
          {aside}
        </div>
      )}
      <div className={flush ? classes.flush : classes.inside}>{children}</div>
    </section>
  );
}

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

/** Facts without a value are left out. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(({ value }) => value !== undefined && value !== null && value !== "")
        .flatMap(({ name, value }) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}
    </dl>
  );
}

/** Click to copy; what it is stands in its label. */
export function Copyable({ value, what }: { readonly value: string; readonly what: string }) {
  const clipboard = useClipboard({ timeout: 1_500 });
  return (
    <button
      type="button"
      className={`${classes.copy} code`}
      onClick={() => clipboard.copy(value)}
      aria-label={`Copy ${what}: ${value}`}
      title="Copy"
    >
      {value}
      {clipboard.copied && <span className={classes.copied}>copied</span>}
    </button>
  );
}

type PageLinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string; readonly state?: object };

/** To another view of the console, without loading the page anew. */
export function PageLink(props: PageLinkProps) {
  return <Link {...props} />;
}
