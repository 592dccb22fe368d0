// The pages there are for who is signed in.

import { useLocation } from "wouter";
import { isSandbox, may, type SignedIn, useSignedIn } from "../api/session.ts";
import { BASE_PATH } from "../base-path.ts";
import { Icon, type IconName } from "../parts/icons.tsx";
import { PageLink } from "../parts/parts.tsx";
import { MerchantChoice } from "./merchant-choice.tsx";
import classes from "./shell.module.css";

interface Place {
  readonly href: string;
  readonly name: string;
  readonly icon: IconName;
}

const PAYMENTS: readonly Place[] = [
  { href: "/overview", name: "Overview", icon: "overview" },
  { href: "/transactions", name: "Transactions", icon: "transactions" },
  { href: "/cards", name: "Cards on file", icon: "card" },
  { href: "/plans", name: "Plans", icon: "plans" },
];
const MONEY: readonly Place[] = [
  { href: "/batches", name: "Settlement", icon: "batches" },
  { href: "/disputes", name: "Disputes", icon: "disputes" },
  { href: "/ledger", name: "Ledger", icon: "ledger" },
  { href: "/reconciliations", name: "Reconciliation", icon: "check" },
];
const SETUP: readonly Place[] = [
  { href: "/processors", name: "Processors", icon: "processors" },
  { href: "/routing", name: "Routing", icon: "routing" },
  { href: "/card-testing", name: "Card testing", icon: "shield" },
  { href: "/tokens", name: "API tokens", icon: "key" },
  { href: "/webhooks", name: "Webhooks", icon: "webhooks" },
  { href: "/people", name: "People", icon: "people" },
];
const AUDIT: Place = { href: "/audit", name: "Audit log", icon: "audit" };
const OPERATIONS: readonly Place[] = [
  { href: "/unresolved", name: "Unresolved", icon: "clock" },
  { href: "/merchants", name: "Merchants", icon: "merchants" },
  AUDIT,
  { href: "/keys", name: "Keys", icon: "key" },
];
const SANDBOX: readonly Place[] = [{ href: "/bench", name: "Test bench", icon: "bench" }];

export function Navigation() {
  const who = useSignedIn();
  return (
    <>
      <MerchantChoice />
      <Places places={PAYMENTS} />
      <Places part="Money" places={MONEY} />
      {setsUp(who) && <Places part="Set-up" places={may(who, "set_up") ? [...SETUP, AUDIT] : SETUP} />}
      {may(who, "operator_read") && <Places part="Operations" places={OPERATIONS} />}
      {isSandbox(who) && (may(who, "charge") || may(who, "operator_read")) && (
        <Places part="Sandbox" places={SANDBOX} />
      )}
      <div style={{ marginTop: "auto" }}>
        <a className={classes.place} href={`${BASE_PATH}/docs`}>
          <Icon name="question" /> API reference
        </a>
      </div>
    </>
  );
}

/** Who has pasted a token can add an operator's there. */
const setsUp = (who: SignedIn | undefined): boolean =>
  may(who, "set_up") || may(who, "operator_read") || who?.kind === "token";

function Places({ part, places }: { readonly part?: string; readonly places: readonly Place[] }) {
  const [path] = useLocation();
  return (
    <div>
      {part !== undefined && <div className={classes.part}>{part}</div>}
      {places.map(({ href, name, icon }) => (
        <PageLink
          key={href}
          href={href}
          className={classes.place}
          aria-current={path.startsWith(href) ? "page" : undefined}
        >
          <Icon name={icon} /> {name}
        </PageLink>
      ))}
    </div>
  );
}
