// An acquirer's host beside a measurement, and a processor record that speaks to it.

import { type Host, startHost } from "../acquirer/host.ts";
import { STANDARD } from "../src/processors/iso8583/dialect/standard.ts";
import type { RunningGateway } from "./gateway.ts";
import type { Undo } from "./undo.ts";

/** @param folder of its books */
export function acquirerHost(undo: Undo, folder: string): Promise<Host> {
  return undo.started(
    startHost({
      folder,
      address: "127.0.0.1",
      port: 0,
      framing: { bytes: 2, encoding: "binary" },
      dialect: STANDARD,
      tls: null,
      lateMs: 2_500,
      settleAt: "02:00",
      log: () => undefined,
      crash: () => undefined,
    }),
  );
}

/** A processor record of the sandbox's merchant, in US dollars, that speaks to this host. @returns its id */
export async function recordFor(
  { url, sandbox }: RunningGateway,
  { port }: Host,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const answer = await fetch(`${url}/operator/merchants/${sandbox.merchant_id}/processors`, {
    method: "POST",
    headers: { authorization: `Bearer ${sandbox.operator_token}`, "content-type": "application/json" },
    body: JSON.stringify({
      name: "Acquirer",
      kind: "iso8583",
      currency: "USD",
      settings: {
        ...{ host: "127.0.0.1", port, result_letters: "simulator", timeout_ms: 5_000 },
        ...{ terminal_id: "T1", merchant_id: "M1", acquirer_id: "12345" },
        ...{ merchant_name: "Northwind", merchant_city: "Oslo", merchant_country: "NO" },
        ...more,
      },
    }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return ((await answer.json()) as { processor: { id: string } }).processor.id;
}
