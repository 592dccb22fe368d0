// The way between a client and a gateway: a proxy that loses, cuts or refuses what it is told to, and notes what it saw.

import { once } from "node:events";
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What becomes of one request. A number: this status, and the gateway hears nothing. */
export type Fate =
  | "pass"
  | "lose the request"
  | "lose the response"
  | "cut the response"
  | "hang"
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

export interface UnreliableWay {
  readonly url: string;
  /** Of the next requests, one after the other; those after them pass. */
  fates: Fate[];
  /** The idempotency key of each request. */
  seen: (string | undefined)[];
  close(): Promise<void>;
}

export async function startUnreliableWay(gatewayUrl: string): Promise<UnreliableWay> {
  const server = createServer(async (request, response) => {
    const key = request.headers["idempotency-key"];
    way.seen.push(typeof key === "string" ? key : undefined);
    const fate = way.fates.shift() ?? "pass";
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    if (fate === "hang") return;
    if (fate === "lose the request") return void request.socket.destroy();
    if (typeof fate === "object") return void response.writeHead(fate.status, fate.headers ?? {}).end(fate.body);
    const { head, text } = await passedOn(gatewayUrl, request, body);
    if (fate === "lose the response") return void request.socket.destroy();
    response.writeHead(head.statusCode ?? 500, head.headers);
    if (fate === "pass") return void response.end(text);
    cutOff(response, text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const way: UnreliableWay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fates: [],
    seen: [],
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return way;
}

async function passedOn(url: string, { method, url: path, headers }: IncomingMessage, body: Buffer) {
  const on = ask(url + path, { method, headers });
  on.end(body);
  const [head] = (await once(on, "response")) as [IncomingMessage];
  return { head, text: Buffer.concat(await Array.fromAsync(head as AsyncIterable<Buffer>)) };
}

function cutOff(response: ServerResponse, text: Buffer): void {
  response.write(text.subarray(0, text.length / 2), () => response.socket?.destroy());
}
