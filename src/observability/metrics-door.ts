// `GET /metrics` on a port of its own: the figures of this process, and of the gateway's other processes while they are there. Figures
// are for whoever runs the gateway, so neither the merchants' port nor a proxy that passes everything on leads to them.

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { baseFault, type FaultStatus } from "../api/request-fault.ts";
import type { Log } from "../gateway/log.ts";
import { createServer } from "../node-http.ts";
import type { MetricsSettings } from "../observability-settings.ts";
import { reasonOf, StartFault } from "../start-fault.ts";
import { inText, METRICS_TYPE, type Metrics, type Reading } from "./metrics.ts";

/** The other processes of the gateway; undefined for one that is not there, or too busy to tell. */
export type ReadOthers = () => Promise<readonly (Reading | undefined)[]>;

/** @throws StartFault if it cannot listen there */
export async function serveMetrics(
  settings: MetricsSettings,
  metrics: Metrics,
  readOthers: ReadOthers,
  log: Log,
): Promise<MetricsDoor> {
  const read = async () => {
    const [own, others] = await Promise.all([metrics.read(), readOthers()]);
    const readings = [own, ...others];
    return inText(readings.filter((reading) => reading !== undefined));
  };
  try {
    const door = await metricsDoor(settings, METRICS_TYPE, read);
    log.info({ url: door.url }, "figures for Prometheus");
    return door;
  } catch (fault) {
    const where = `${settings.host}:${settings.port}`;
    throw new StartFault(
      `Cannot listen on ${where} for /metrics: ${reasonOf(fault)}. Look at METRICS_HOST and METRICS_PORT.`,
    );
  }
}

interface MetricsDoor {
  /** `http://127.0.0.1:9464/metrics` */
  readonly url: string;
  close(): Promise<void>;
}

/** Few ask, and what they ask is small. */
const BOUNDS = {
  requestTimeout: 5_000,
  headersTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 8_192,
};
const MOST_CONNECTIONS = 32;

/** Listens. @param read the text, by its content type */
async function metricsDoor(
  { host, port, token }: MetricsSettings,
  contentType: string,
  read: () => Promise<string>,
): Promise<MetricsDoor> {
  const wanted = token && digest(`Bearer ${token.reveal()}`);
  // Several who ask at once get one reading.
  let reading: Promise<string> | undefined;
  const server = createServer(BOUNDS, (request, response) => {
    const refused = refusalOf(request, wanted);
    if (refused !== undefined) return refuse(response, ...refused);
    reading ??= read().finally(() => {
      reading = undefined;
    });
    reading.then(
      (text) => response.writeHead(200, { "content-type": contentType, "cache-control": "no-store" }).end(text),
      () => refuse(response, 500, "The figures cannot be read."),
    );
  });
  server.maxConnections = MOST_CONNECTIONS;
  await listening(server, host, port);
  const address = server.address() as AddressInfo;
  const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return { url: `http://${shown}:${address.port}/metrics`, close: () => closed(server) };
}

type Refusal = readonly [status: FaultStatus, text: string, headers?: Readonly<Record<string, string>>];

function refusalOf({ url, method, headers }: IncomingMessage, wanted: Buffer | undefined): Refusal | undefined {
  if (wanted !== undefined && !timingSafeEqual(digest(headers.authorization ?? ""), wanted))
    return [401, "Send Authorization: Bearer, and the token of METRICS_TOKEN.", { "www-authenticate": "Bearer" }];
  if (url?.split("?")[0] !== "/metrics") return [404, "There is nothing at this path, but at /metrics."];
  if (method !== "GET" && method !== "HEAD") return [405, "This path takes GET.", { allow: "GET, HEAD" }];
  return undefined;
}

function refuse(response: ServerResponse, ...[status, text, headers = {}]: Refusal): void {
  const { body } = baseFault(status, text);
  response.writeHead(status, { ...headers, "content-type": "application/json; charset=utf-8" }).end(body);
}

/** Of equal length, whatever was sent. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const listening = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
