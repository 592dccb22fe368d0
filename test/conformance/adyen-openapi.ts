// Requests held against the OpenAPI document that Adyen publishes for Checkout, version 72, where it lies beside the project.
// A request that does not fit fails as a fault of the host, so whoever asked notices.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";

const FILE = join(import.meta.dirname, "../../../shared/psp/adyen-checkout-v72.json");

/** By path: what it takes. */
const SCHEMAS: readonly (readonly [RegExp, string])[] = [
  [/^\/payments$/, "PaymentRequest"],
  [/^\/payments\/details$/, "PaymentDetailsRequest"],
  [/^\/paymentMethods$/, "PaymentMethodsRequest"],
  [/^\/cancels$/, "StandalonePaymentCancelRequest"],
  [/\/captures$/, "PaymentCaptureRequest"],
  [/\/cancels$/, "PaymentCancelRequest"],
  [/\/refunds$/, "PaymentRefundRequest"],
  [/\/reversals$/, "PaymentReversalRequest"],
];

type Json = Record<string, unknown>;
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}
interface Published {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters: readonly Parameter[] } }>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: Json } & Json>> };
}

export const published = existsSync(FILE);

const document = published ? (JSON.parse(readFileSync(FILE, "utf8")) as Published) : undefined;
const validators = document && validatorsOf(document);

/** Throws an AssertionError that says what does not fit. */
export function againstOpenApi({ path, body }: { readonly path: string; readonly body: Json }): void {
  if (document === undefined || validators === undefined) return;
  const [asked = "", query] = path.split("?");
  if (query !== undefined) {
    queryFits(document, asked, new URLSearchParams(query));
    return;
  }
  const [, name] = SCHEMAS.find(([of]) => of.test(path)) ?? [];
  assert.ok(name, `${path} is not in the document`);
  const { paymentMethod, ...rest } = body;
  validators(name, rest);
  if (name === "PaymentRequest") validators("CardDetails", paymentMethod);
}

/** A GET names every parameter that it must, and none that the document does not have. */
function queryFits({ paths }: Published, path: string, query: URLSearchParams): void {
  const parameters = paths[path]?.get?.parameters.filter((one) => one.in === "query");
  assert.ok(parameters, `GET ${path} is not in the document`);
  const names = [...query.keys()];
  for (const name of names)
    assert.ok(
      parameters.some((one) => one.name === name),
      `GET ${path} takes no ${name}`,
    );
  for (const { name, required } of parameters)
    assert.ok(!required || names.includes(name), `GET ${path} needs ${name}`);
}

/** Closed: no field that the document does not have. Of the payment method's sixty forms only the card's is looked at. */
function validatorsOf({ components: { schemas } }: Published): (name: string, value: unknown) => void {
  const closed = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      schema.properties && schema.additionalProperties === undefined
        ? { ...schema, additionalProperties: false }
        : schema,
    ]),
  );
  const { paymentMethod: _, ...properties } = closed.PaymentRequest?.properties ?? {};
  const required = ((closed.PaymentRequest?.required ?? []) as string[]).filter((field) => field !== "paymentMethod");
  const closedDocument = {
    components: { schemas: { ...closed, PaymentRequest: { ...closed.PaymentRequest, properties, required } } },
  };
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(closedDocument, "checkout");
  return (name, value) => {
    const validate = ajv.getSchema(`checkout#/components/schemas/${name}`);
    assert.ok(validate, name);
    assert.ok(validate(value), `${name}: ${ajv.errorsText(validate.errors)}`);
  };
}
