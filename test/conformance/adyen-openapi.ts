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
  [/^\/paymentMethods$/, "PaymentMethodsRequest"],
  [/^\/cancels$/, "StandalonePaymentCancelRequest"],
  [/\/captures$/, "PaymentCaptureRequest"],
  [/\/cancels$/, "PaymentCancelRequest"],
  [/\/refunds$/, "PaymentRefundRequest"],
  [/\/reversals$/, "PaymentReversalRequest"],
];

type Json = Record<string, unknown>;
interface Published {
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: Json } & Json>> };
}

export const published = existsSync(FILE);

const validators = published ? validatorsOf(JSON.parse(readFileSync(FILE, "utf8")) as Published) : undefined;

/** Throws an AssertionError that says what does not fit. */
export function againstOpenApi({ path, body }: { readonly path: string; readonly body: Json }): void {
  if (validators === undefined) return;
  const [, name] = SCHEMAS.find(([of]) => of.test(path)) ?? [];
  assert.ok(name, `${path} is not in the document`);
  const { paymentMethod, ...rest } = body;
  validators(name, rest);
  if (name === "PaymentRequest") validators("CardDetails", paymentMethod);
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
  const document = {
    components: { schemas: { ...closed, PaymentRequest: { ...closed.PaymentRequest, properties, required } } },
  };
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, "checkout");
  return (name, value) => {
    const validate = ajv.getSchema(`checkout#/components/schemas/${name}`);
    assert.ok(validate, name);
    assert.ok(validate(value), `${name}: ${ajv.errorsText(validate.errors)}`);
  };
}
