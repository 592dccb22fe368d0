// Which page of the console is walked how: for each route an address, and what its buttons do. A route without an entry does not compile.

import type { RoutePath } from "../../console/src/routes.ts";
import type { Gateway } from "../journeys/merchant.fixture.ts";
import type { Buttons, Walk } from "./crawl.ts";

/** The id of one of each kind. */
export interface Records {
  /** Settled. */
  readonly transaction: string;
  /** Of two passengers, not captured yet. */
  readonly authorized: string;
  /** On file, and charged. */
  readonly card: string;
  readonly batch: string;
  readonly dispute: string;
  /** Of which nothing is charged. */
  readonly plan: string;
  readonly reconciliation: string;
  readonly person: string;
  readonly processor: string;
  /** Whose operation is in doubt. */
  readonly unresolved: string;
}

/** A button that asks first. */
const sure = (name: string, sends: string): Buttons[number] => [name, { opens: [[name, { sends }]] }];

/** As an operator, who may do most. */
export function walksOf(
  { sandbox }: Gateway,
  records: Records,
): Readonly<Record<RoutePath, Omit<Walk, "path"> & { path?: string }>> {
  const merchant = `/operator/merchants/${sandbox.merchant_id}`;
  const enterDispute: Buttons[number] = [
    "Enter a dispute",
    { opens: [["Enter it", { sends: `POST ${merchant}/disputes` }]] },
  ];
  const invited: Buttons = [
    ["Make a first password", { sends: "POST (/operator/people|/operator/merchants/*/people)" }],
  ];
  return {
    "/overview": { ready: /approved charge/ },
    "/transactions": {
      ready: "order cad",
      buttons: [
        [
          "Filter",
          {
            opens: [
              ["Clear", { shows: "Filter transactions" }],
              ["Show", { leads: /\/transactions\?/ }],
            ],
          },
        ],
        [
          "Export",
          {
            menu: [
              ["CSV for a spreadsheet", { saves: /transactions\.csv/ }],
              ["CSV for programs", { saves: /transactions\.csv/ }],
            ],
          },
        ],
      ],
    },
    "/transactions/:id": {
      path: `/transactions/${records.transaction}`,
      ready: "What happened",
      buttons: [enterDispute, ["Send again", { sends: `POST /operator/webhooks/*/replay` }]],
    },
    "/cards": { ready: "Kept by" },
    "/cards/:id": { path: `/cards/${records.card}`, ready: "order usd" },
    "/plans": { ready: "order plan" },
    "/plans/:id": { path: `/plans/${records.plan}`, ready: "Drawn for each charge" },
    "/batches": { ready: "Settlement day in" },
    "/batches/:id": {
      path: `/batches/${records.batch}`,
      ready: "Goes to the merchant",
      buttons: [["Its events as CSV", { saves: /batch-.*\.csv/ }]],
    },
    "/ledger": {
      ready: "A period as a file",
      buttons: [
        ["CSV for a spreadsheet", { saves: /ledger-/ }],
        ["CSV for programs", { saves: /ledger-/ }],
      ],
    },
    "/disputes": { ready: "order cad", buttons: [enterDispute] },
    "/disputes/:id": {
      path: `/disputes/${records.dispute}`,
      ready: "What the bank says",
      buttons: [
        ["Change by hand", { opens: [["Change it", { sends: `PATCH /operator/disputes/${records.dispute}` }]] }],
      ],
    },
    "/reconciliations": { ready: "Books of" },
    "/reconciliations/:id": { path: `/reconciliations/${records.reconciliation}`, ready: "What was found" },
    "/people": {
      ready: "Users of programs",
      buttons: [
        ["Invite somebody", { opens: invited }],
        ["Invite an operator", { opens: invited }],
        ["Create the user", { sends: `POST ${merchant}/users` }],
      ],
    },
    "/people/:id": {
      path: `/people/${records.person}`,
      ready: "What can be done",
      buttons: [
        ["Change", { sends: `PATCH /operator/people/${records.person}` }],
        sure("Reset the password", `POST /operator/people/${records.person}/password`),
        sure("Sign out everywhere", `POST /operator/people/${records.person}/sign-out`),
        sure("Switch off", `PATCH /operator/people/${records.person}`),
      ],
    },
    "/account": {
      ready: "Choose a password",
      buttons: [
        ["Go on", { sends: "POST /session/second-factor" }],
        ["Change the password", { sends: "PUT /session/password" }],
      ],
    },
    "/merchants": { ready: "Fabrikam", buttons: [["Create the merchant", { sends: "POST /operator/merchants" }]] },
    "/merchants/:id": {
      path: `/merchants/${sandbox.merchant_id}`,
      ready: "Settings",
      buttons: [["Change", { sends: `PATCH ${merchant}` }]],
    },
    "/unresolved": {
      path: `/unresolved?event=${records.unresolved}`,
      ready: "Unknown since",
      buttons: [
        [
          "Enter how it ended",
          { opens: [["Enter it", { sends: `POST /operator/unresolved/${records.unresolved}/resolution` }]] },
        ],
        sure("Switch the processor off", "PATCH /operator/processors/*"),
      ],
    },
    "/audit": { ready: "entries since", buttons: [["Older", { leads: /before=/ }]] },
    "/keys": { ready: "Rotation" },
    "/bench": {
      ready: "Another time",
      buttons: [[/^(Automatic capture|Cut-off|Settled|One day)/, { sends: "POST /operator/clock" }]],
    },
    "/processors": {
      ready: "A new processor",
      buttons: [
        [/is (enabled|in rotation)$/, { sends: "PATCH /operator/processors/*" }],
        ["Create the processor", { sends: `POST ${merchant}/processors` }],
      ],
    },
    "/processors/:id": {
      path: `/processors/${records.processor}`,
      ready: "Conditions and schedule",
      buttons: [["Save", { sends: `PATCH /operator/processors/${records.processor}` }]],
    },
    "/routing": {
      ready: "Processors in the draw",
      buttons: [
        ["Change", { shows: "Add a rule" }],
        ["Add a rule", { shows: "Draws among" }],
        ["Add a condition on meta", { shows: "Field of meta" }],
        [/^Remove the condition/, { shows: "Draws among" }],
        [/^Move rule/, { shows: "Draws among" }],
        [/^Remove rule/, { shows: "Add a rule" }],
        ["Save the rules", { sends: `PATCH ${merchant}/routing` }],
        ["Leave it as it is", { shows: "Rules" }],
        ["Try it", { leads: /\/routing\?/ }],
      ],
    },
    "/card-testing": { ready: "Watch charges", buttons: [["Save", { sends: `PATCH ${merchant}/card-testing` }]] },
    "/tokens": {
      ready: "A new token",
      buttons: [
        ["Create the token", { sends: `POST ${merchant}/tokens` }],
        sure("Revoke", "DELETE /operator/tokens/*"),
      ],
    },
    "/webhooks": {
      ready: "Send again",
      buttons: [
        ["Create the endpoint", { sends: `POST ${merchant}/webhooks` }],
        [/is enabled$/, { sends: "PATCH /operator/webhooks/*" }],
        ["Send a test", { sends: "POST /operator/webhooks/*/ping" }],
        ["Send again", { sends: "POST /operator/webhooks/*/replay" }],
        sure("Delete", "DELETE /operator/webhooks/*"),
      ],
    },
  };
}

/** As a merchant's administrator, who charges and follows up. */
export function walksOfAdministrator(records: Records): readonly Walk[] {
  const followUp = (id: string, name: string, as: string, more: Buttons = []): Buttons[number] => [
    name,
    { opens: [...more, [new RegExp(`^${name}: `), { sends: `POST /api/transactions/${id}/${as}` }]] },
  ];
  const passengers: Buttons = [
    ["None", { shows: "Name an amount for each passenger" }],
    [/^All: /, { shows: "Name an amount for each passenger" }],
  ];
  const { authorized, card, transaction } = records;
  return [
    {
      path: `/transactions/${authorized}`,
      ready: "What can be done",
      buttons: [
        followUp(authorized, "Capture", "capture", passengers),
        followUp(authorized, "Void", "void", passengers),
        followUp(authorized, "Give everything back", "reversal"),
        ["Send again", { sends: "POST /operator/webhooks/*/replay" }],
      ],
    },
    {
      path: `/transactions/${transaction}`,
      ready: "What can be done",
      buttons: [
        followUp(transaction, "Refund", "refund"),
        // Where the machine's time is past the cut-off, its settlement is a day later.
        ["Void", { opens: [[/^Void: /, { sends: `POST /api/transactions/${transaction}/void` }]], atTimes: true }],
        followUp(transaction, "Give everything back", "reversal"),
        ["Send again", { sends: "POST /operator/webhooks/*/replay" }],
      ],
    },
    {
      path: `/cards/${card}`,
      ready: "order usd",
      buttons: [sure("Delete", `DELETE /api/cards/${card}`)],
    },
    {
      path: "/bench",
      ready: "A test charge",
      buttons: [
        ["Send it", { sends: "POST /api/transactions/(sale|auth)" }],
        ["Show the clock", { shows: /no token of/ }],
      ],
    },
  ];
}
