// Where Adyen's published OpenAPI documents are, if they are on this machine: in a folder beside the project. They are not part of it.

import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../../../shared/psp");

/** Checkout API, version 72. */
export const ADYEN_CHECKOUT = join(FOLDER, "adyen-checkout-v72.json");
/** Webhooks, version 1. */
export const ADYEN_WEBHOOKS = join(FOLDER, "adyen-webhooks-v1.json");
