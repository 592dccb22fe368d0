// Which pictures of the console there are: those of the docs, and each page in each view, to be looked at after a change.

import type { Shop } from "./shop.ts";

export type Scheme = "light" | "dark";
export type Role = "operator" | "merchant_admin";

export interface Picture {
  readonly name: string;
  readonly path: string;
  /** On the page when it is complete. */
  readonly shows: string;
  readonly scheme: Scheme;
  readonly phone?: boolean;
  readonly role?: Role;
}

/** In the docs; to be looked at, each page is taken as wide as screens are today. */
export const DESK = { width: 1280, height: 840 };
export const WIDE_DESK = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** In docs/images. */
export function picturesOfDocs({ flight }: Shop): readonly Picture[] {
  const overview = { path: "/overview?period=30+days&currency=USD", shows: "The charts as a table" };
  const transaction = { path: `/transactions/${flight}`, shows: "2 passengers", role: "merchant_admin" } as const;
  const money = { path: "/batches", shows: "Settlement day in CAD" };
  const routing = {
    path: "/routing?amount=320.00&currency=USD&card_start=41111111",
    shows: "by the rule Large amounts",
  };
  return [
    { name: "console-overview", ...overview, scheme: "light" },
    { name: "console-overview-dark", ...overview, scheme: "dark" },
    { name: "console-transactions", path: "/transactions", shows: "booking-77", scheme: "light" },
    { name: "console-transaction", ...transaction, scheme: "light" },
    { name: "console-transaction-dark", ...transaction, scheme: "dark" },
    { name: "console-money", ...money, scheme: "light" },
    { name: "console-routing", ...routing, scheme: "light" },
    { name: "console-phone-overview", ...overview, scheme: "light", phone: true },
    { name: "console-phone-transaction", ...transaction, scheme: "dark", phone: true },
    { name: "console-phone-money", ...money, scheme: "light", phone: true },
  ];
}

/** Every page, in four views each. */
export function allPages({ flight, declined, dispute, batch, person, merchant, processor }: Shop): readonly Picture[] {
  const pages: readonly (readonly [name: string, path: string, shows: string, role?: Role])[] = [
    ["overview", "/overview?period=30+days&currency=USD", "The charts as a table"],
    ["transactions", "/transactions", "booking-77"],
    ["transaction", `/transactions/${flight}`, "2 passengers", "merchant_admin"],
    ["declined", `/transactions/${declined}`, "What happened"],
    ["batches", "/batches", "Settlement day in CAD"],
    ["batch", `/batches/${batch}`, "By operation and brand"],
    ["reconciliations", "/reconciliations", "Nothing was compared yet"],
    ["ledger", "/ledger", "CSV for programs"],
    ["disputes", "/disputes", "189.90"],
    ["dispute", `/disputes/${dispute}`, "What the bank says"],
    ["processors", "/processors", "Maple CAD"],
    ["processor", `/processors/${processor}`, "Conditions and schedule"],
    ["routing", "/routing?amount=320.00&currency=USD&card_start=41111111", "by the rule Large amounts"],
    ["card-testing", "/card-testing", "What was delayed and refused"],
    ["tokens", "/tokens", "Revoke"],
    ["webhooks", "/webhooks", "Create the endpoint"],
    ["people", "/people", "Sandbox viewer"],
    ["person", `/people/${person}`, "What can be done"],
    ["merchant", `/merchants/${merchant}`, "Settings"],
    ["unresolved", "/unresolved", "Asked again"],
    ["merchants", "/merchants", "Other Merchant"],
    ["keys", "/keys", "Rotation"],
    ["audit", "/audit", "each sealed together with all before it"],
    ["bench", "/bench", "Send it", "merchant_admin"],
    ["account", "/account", "Second factor"],
  ];
  return pages.flatMap(([name, path, shows, role = "operator"]) =>
    ([true, false] as const).flatMap((phone) =>
      (["light", "dark"] as const).map((scheme) => ({
        name: `${name}-${phone ? "phone" : "desk"}-${scheme}`,
        ...{ path, shows, role, phone, scheme },
      })),
    ),
  );
}
