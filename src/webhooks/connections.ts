// Connections to merchants' endpoints: kept for the next webhook, bounded in number, and limited to key exchanges that cost the
// gateway little.

import type { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Agent } from "../node-http.ts";

/** Of all endpoints together; with more, a connection is closed after its answer. */
const MOST_KEPT = 256;
/** Of one endpoint, as many as it is sent at once. */
const MOST_KEPT_OF_ONE = 8;
const IDLE_MS = 20_000;

export interface Connections {
  readonly "http:": HttpAgent;
  readonly "https:": HttpsAgent;
  close(): void;
}

/**
 * A key exchange by elliptic curves alone: in the other one (DHE) the server names the numbers, and with those of 8,192 bits
 * each connection would hold up the gateway for as long as a hundred sales.
 */
const SECURED_BY = {
  ciphers: [
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305",
  ].join(":"),
  ecdhCurve: "X25519:P-256:P-384:P-521",
  minVersion: "TLSv1.2",
} as const;

/** Options of a request that goes over a connection of its own, which is closed behind it. */
export const ONCE = { agent: false, ...SECURED_BY } as const;

export function openConnections(): Connections {
  const kept = { keepAlive: true, maxFreeSockets: MOST_KEPT_OF_ONE, timeout: IDLE_MS };
  const plain = new Agent(kept);
  const secured = new HttpsAgent({ ...kept, ...SECURED_BY });
  const all = [plain, secured];
  for (const agent of all) {
    const keep = agent.keepSocketAlive.bind(agent);
    agent.keepSocketAlive = (socket) => keptBy(all) < MOST_KEPT && keep(socket);
  }
  return {
    "http:": plain,
    "https:": secured,
    close: () => {
      for (const agent of all) agent.destroy();
    },
  };
}

const keptBy = (agents: readonly HttpAgent[]): number =>
  agents
    .flatMap(({ freeSockets }) => Object.values(freeSockets))
    .reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
