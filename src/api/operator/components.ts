// What the operator sends and gets, as components of the OpenAPI document: the schemas that the records' stores check by,
// under their names, with whole requests that show them.

import Type, { type TObject, type TSchema } from "typebox";
import { CardTesting, CardTestingChange } from "../../merchants/card-testing.ts";
import { CardTestingReport } from "../../merchants/card-testing-reports.ts";
import { Dispute, DisputeChange, NewDispute } from "../../merchants/disputes/dispute-schema.ts";
import type { Kinds } from "../../merchants/kind-settings.ts";
import { Merchant, MerchantChange, NewMerchant } from "../../merchants/merchants.ts";
import { NewProcessor, Processor, ProcessorChange } from "../../merchants/processor-schema.ts";
import { NewResolution, Resolution } from "../../merchants/resolution.ts";
import { ReturnSecret } from "../../merchants/returns.ts";
import { RoutingTry, TriedRoute } from "../../merchants/route-try-schema.ts";
import { Routing, RoutingChange } from "../../merchants/routing-schema.ts";
import { CreatedToken, NewToken, Token } from "../../merchants/tokens.ts";
import { NewUser, User } from "../../merchants/users.ts";
import { CreatedPerson, NewOperator, NewPerson, Person, PersonChange } from "../../people/person.ts";
import { Replay, WebhookDelivery } from "../../webhooks/deliveries.ts";
import { CreatedWebhook, NewWebhook, Webhook, WebhookChange } from "../../webhooks/endpoint-schema.ts";
import { REQUESTS } from "../openapi/publish-schema.ts";
import { Reconciliation, ReconciliationFinding } from "../schema/reconciliation.ts";
import { AuditChain, AuditEntry } from "./audit-log.ts";
import { BatchSummary, BatchWithTotals } from "./batches.ts";
import { ClockChange } from "./clock.ts";
import { DeclaredState } from "./declared-state.ts";
import { DataKey } from "./keys.ts";
import { ProcessorNotification } from "./notifications.ts";
import { Unresolved } from "./unresolved.ts";

export function operatorComponents(kinds: Kinds): readonly object[] {
  const settings = [...kinds].map(([name, { settingsSchema }]) => ({ ...settingsSchema, $id: settingsName(name) }));
  return [
    request("MerchantFields", NewMerchant, { "A merchant": { name: "Northwind Air" } }),
    request("MerchantChange", MerchantChange, {
      "Another name": { name: "Southwind Air" },
      "Stricter on identifiers": { refuse_card_like_identifiers: true },
    }),
    request("UserFields", NewUser, { "A user": { name: "Jane Doe", email: "jane@example.com" } }),
    request("TokenFields", NewToken, {
      "For everything": { user_id: SOME_ID, scopes: ["charge", "follow_up", "read", "cards"] },
      "For reading, for a while": {
        user_id: SOME_ID,
        scopes: ["read"],
        expires_at: "2039-01-31T00:00:00Z",
        rate_limit_per_minute: 600,
      },
    }),
    request("OperatorFields", NewOperator, {
      "An operator": { name: "Jane Doe", email: "jane@example.com", role: "operator" },
      "Who only looks": { name: "Joe Doe", email: "joe@example.com", role: "operator_read" },
    }),
    request("PersonFields", NewPerson, {
      "An administrator of the merchant": { name: "Ann Doe", email: "ann@example.com", role: "merchant_admin" },
      "A clerk": { name: "Carl Doe", email: "carl@example.com", role: "clerk" },
    }),
    request("PersonChange", PersonChange, { "Another role": { role: "viewer" }, Locked: { locked: true } }),
    request("ProcessorFields", withSettingsOf(kinds, NewProcessor), {
      "In rotation": { name: "Acquirer", kind: "simulator", currency: "USD", in_rotation: true },
      "With demands and a schedule": {
        name: "Acquirer in Canada",
        kind: "simulator",
        currency: "CAD",
        requires: { cvv: ["visa", "mastercard", "amex"] },
        settlement: { auto_capture_at: "20:30", cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" },
        settings: { latency_ms: 50 },
      },
      "With the id that clients name already": {
        id: SOME_ID,
        name: "Acquirer",
        kind: "simulator",
        currency: "USD",
      },
    }),
    request("ProcessorChange", explained(ProcessorChange), {
      "Switched off": { enabled: false },
      "An earlier cut-off": { settlement: { cutoff_at: "21:00" } },
      "A setting back to its default": { settings: { latency_ms: null } },
    }),
    request("CardTestingChange", CardTestingChange, {
      Stricter: { cards_per_range: 20, small_amount: "5.00" },
      "Switched off": { enabled: false },
    }),
    request("RoutingChange", RoutingChange, {
      "Three in four, and airline data elsewhere": {
        rules: [
          { name: "Airline data", when: { airline: true }, processors: [{ id: SOME_ID }] },
          {
            name: "Small amounts in dollars",
            when: { currencies: ["USD", "CAD"], amount_at_most: "100.00" },
            processors: [
              { id: SOME_ID, weight: 3 },
              { id: OTHER_ID, weight: 1 },
            ],
          },
        ],
      },
      "No rules": { rules: [] },
    }),
    request("RoutingTry", RoutingTry, {
      "A sale": { amount: "10.00", card_start: "41111111", currency: "USD" },
      "A sale that was made": { amount: "10.00", card_start: "41111111", transaction_id: SOME_ID },
    }),
    request("WebhookFields", NewWebhook, {
      "Told of everything": { url: "https://shop.example.com/faregate" },
      "Told of some": {
        url: "https://shop.example.com/faregate",
        event_types: ["transaction.refund.succeeded", "transaction.settled"],
      },
    }),
    request("WebhookChange", WebhookChange, {
      "Another address": { url: "https://shop.example.com/v2/faregate" },
      "Enabled again, and told of everything": { enabled: true, event_types: null },
    }),
    request("Replay", Replay, {
      "One delivery": { delivery_id: SOME_ID },
      "A span of time": { since: "2026-02-16T00:00:00Z", until: "2026-02-17T00:00:00Z" },
    }),
    request("ResolutionFields", NewResolution, {
      "A refund that went out": {
        outcome: "approved",
        evidence: "Customer Area: refund 8825408195409505, settled 2031-05-02",
        processor_transaction_id: "8825408195409505",
      },
      "A charge that never reached the processor": {
        outcome: "reversed",
        evidence: "Customer Area: no payment with this reference",
      },
    }),
    request("DisputeFields", NewDispute, {
      "A chargeback, with the money gone": {
        transaction_id: SOME_ID,
        amount: "3.56",
        amount_withdrawn: "3.56",
        fee: "15.00",
        reason_code: "13.1",
        respond_by: "2031-05-31T23:59:59Z",
      },
      "An inquiry about a part": {
        transaction_id: SOME_ID,
        amount: "1.00",
        stage: "inquiry",
        reason: "The cardholder does not know the merchant",
      },
    }),
    request("DisputeChange", DisputeChange, {
      "Evidence was sent": { status: "under_review" },
      "Won, and the money is back": { outcome: "won", amount_withdrawn: "0.00" },
    }),
    request("ClockChange", ClockChange, { "To a settlement": { now: "2031-03-03T02:20:00Z" } }),
    ...settings,
    response("Merchant", Merchant, "Whose transactions they are."),
    response("ReturnSecret", ReturnSecret, "The secret of payers' returns, this once."),
    response("User", User, "Who a transaction's `user_id` names."),
    response("Token", Token, "An API token of a user, without its secret."),
    response("CreatedToken", CreatedToken, "An API token, with its secret this once."),
    response("Person", Person, "Who can sign in, without the password."),
    response("CreatedPerson", CreatedPerson, "Who can sign in, with a first password this once."),
    response("Processor", Processor, "A processor record; secrets among its settings show as dots."),
    response("Routing", Routing, "The rules for where a merchant's charges go."),
    response("TriedRoute", TriedRoute, "Where a charge would go, and why."),
    response("Webhook", Webhook, "A webhook endpoint, without its secret."),
    response("CreatedWebhook", CreatedWebhook, "A webhook endpoint, with its new secret this once."),
    response("Dispute", Dispute, "What a payer's bank asks about a transaction, or takes back of it."),
    response("WebhookDelivery", WebhookDelivery, "What became of telling one endpoint of one thing."),
    response("BatchSummary", BatchSummary, "A settlement batch."),
    response("Batch", BatchWithTotals, "A settlement batch and what is in it."),
    response("Reconciliation", Reconciliation, "How a processor's books or report compared with the journal."),
    response("ReconciliationFinding", ReconciliationFinding, "One thing that a reconciliation found."),
    response(
      "UnresolvedEvent",
      Unresolved,
      "An event that has no outcome yet, or a charge that is still to be reversed.",
    ),
    response("Resolution", Resolution, "How an unresolved event ended, as an operator entered it."),
    response("ProcessorNotification", ProcessorNotification, "What a processor told by itself, and what became of it."),
    response("CardTesting", CardTesting, "A merchant's settings against card testing."),
    response("CardTestingReport", CardTestingReport, "What looked like card testing."),
    response("AuditEntry", AuditEntry, "One change."),
    response("DeclaredState", DeclaredState, "What was declared, and where the gateway differs from it."),
    response(
      "DataKey",
      DataKey,
      "A key under which card numbers and processors' secrets are sealed; not the key itself.",
    ),
    response("AuditChain", AuditChain, "Where the audit log stands, and what was found to be wrong with it."),
  ];
}

const SOME_ID = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
const OTHER_ID = "0193e5b1-2d4f-7b60-8a11-94c1d07e52b3";

/** "simulator" → "SimulatorSettings" */
const settingsName = (kind: string): string => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Settings`;

const withSettingsOf = (kinds: Kinds, schema: TObject) =>
  Type.Object({
    ...explained(schema).properties,
    settings: Type.Optional(
      Type.Union(
        [...kinds.keys()].map((kind) => Type.Ref(settingsName(kind))),
        { description: "Settings of the record's kind. Secrets are never shown again." },
      ),
    ),
  });

/** What the two objects are for; what is in them says so itself. */
function explained({ properties, ...schema }: TObject): TObject {
  const { requires, settlement, ...others } = properties as Record<string, TSchema>;
  return Type.Object(
    {
      ...others,
      requires: Type.Optional({ ...requires, description: "Fields that charges must have in addition." }),
      settlement: Type.Optional({
        ...settlement,
        description: "Times of day in UTC; the defaults depend on the currency.",
      }),
    },
    schema,
  );
}

const request = (name: string, schema: TObject, requests: Readonly<Record<string, object>>) => ({
  ...schema,
  $id: name,
  [REQUESTS]: requests,
});

const response = (name: string, schema: TSchema, description: string) => ({
  ...closed(schema),
  $id: name,
  description,
});

/** A response has nothing but what is described. */
function closed(schema: TSchema): TSchema {
  const { properties, items, additionalProperties } = schema as Partial<TObject> & {
    readonly items?: TSchema;
    readonly additionalProperties?: unknown;
  };
  if (items !== undefined) return { ...schema, items: closed(items) };
  if (properties === undefined) return schema;
  const inner = Object.entries(properties).map(([name, one]) => [name, closed(one as TSchema)]);
  return { ...schema, properties: Object.fromEntries(inner), additionalProperties: additionalProperties ?? false };
}
