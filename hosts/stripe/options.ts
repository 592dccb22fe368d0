// The host's command line. Every wrong value is named.

import { parseArgs } from "node:util";
import { parseRule, type Rule } from "./misbehaviour.ts";
import type { Endpoint } from "./webhooks.ts";

export const USAGE = `npm run stripe-host -- [options]
  --port 8586             where gateways ask; 0 takes a free one
  --control-port 8587     HTTP on loopback: misbehave, end, redeliver, payout/<currency>, balance, books; POST /disputes/<transaction> with
                          {"step": "open" | "inquire" | "respond" | "win" | "lose" | "close", "amount": 356}
  --folder stripe-books
  --secret-key sk_test_local0000
  --webhook-url http://127.0.0.1:8080/notifications/<processor id>
  --webhook-secret whsec_local0000
  --misbehave rule        JSON, several times if need be: {"what": "drop-after", "on": ["confirm"], "chance": 0.1}
`;

export interface Options {
  readonly port: number;
  readonly controlPort: number;
  readonly folder: string;
  readonly secretKey: string;
  readonly endpoint: Endpoint | null;
  readonly rules: readonly Rule[];
}

/** Throws a TypeError that says what is wrong. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string", default: "8586" },
      "control-port": { type: "string", default: "8587" },
      folder: { type: "string", default: "stripe-books" },
      "secret-key": { type: "string", default: "sk_test_local0000" },
      "webhook-url": { type: "string" },
      "webhook-secret": { type: "string", default: "whsec_local0000" },
      misbehave: { type: "string", multiple: true, default: [] },
    },
  });
  const url = values["webhook-url"];
  if (url !== undefined && !/^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\//.test(url))
    throw new TypeError("--webhook-url is an address on this machine.");
  return {
    port: portIn("port", values.port),
    controlPort: portIn("control-port", values["control-port"]),
    folder: values.folder,
    secretKey: values["secret-key"],
    endpoint: url === undefined ? null : { url, secret: values["webhook-secret"] },
    rules: values.misbehave.map((text) => parseRule(JSON.parse(text))),
  };
}

function portIn(name: string, text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new TypeError(`--${name} is a whole number from 0 to 65535.`);
  return port;
}
