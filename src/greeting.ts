// What a gateway that is ready prints for the person at its terminal: where everything is, and a first sale to try.

import type { Gateway } from "./gateway-process.ts";
import { sandboxFile } from "./sandbox.ts";
import type { Settings } from "./settings.ts";

/** @param seconds that the start took */
export function greeting({ url, dataPlace, sandbox }: Gateway, { dataFolder }: Settings, seconds: number): string {
  const lines = [
    "",
    `Faregate listens on ${url} (ready in ${seconds.toFixed(1)} s)`,
    `  Console         ${url}/console`,
    `  API reference   ${url}/docs`,
    `  Database        ${dataPlace}`,
  ];
  if (sandbox === undefined) return [...lines, ""].join("\n");
  return [
    ...lines,
    `  Sandbox tokens  ${sandboxFile(dataFolder)} (no real money moves)`,
    "",
    "Sign in (the passwords are also in that file):",
    "",
    ...Object.values(sandbox.people).map(({ email, password }) => `  ${email.padEnd(28)} ${password}`),
    "",
    "Try a sale:",
    "",
    `  curl ${url}/api/transactions/sale \\`,
    `    -H 'Authorization: Bearer ${sandbox.api_token}' \\`,
    "    -d amount=3.56 -d card_number=4111111111111111 -d card_expiry_month=12 -d card_expiry_year=2039 \\",
    "    -d merchant_transaction_id=order-1 -d ip_address=203.0.113.7",
    "",
  ].join("\n");
}
