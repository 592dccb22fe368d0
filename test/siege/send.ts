// One request on a pooled connection from a given address, and the whole answer.

import { type Agent, request } from "node:http";
import { HOST } from "./ground.ts";

export interface Sending {
  readonly port: number;
  readonly from: string;
  /** None: a connection of its own. */
  readonly agent: Agent | false;
  readonly token?: string;
  readonly withinMs: number;
  readonly headers?: Readonly<Record<string, string>>;
}
export interface Answered {
  /** 0: no answer came in time. */
  readonly status: number;
  readonly text: string;
}

export function sendOn(sending: Sending, method: string, path: string, body?: string | object): Promise<Answered> {
  const { port, from, agent, token, withinMs, headers = {} } = sending;
  const bytes = body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return new Promise((resolve) => {
    const failed = (fault: Error) => resolve({ status: 0, text: fault.message });
    const options = {
      ...{ host: HOST, port, localAddress: from, agent, method, path },
      signal: AbortSignal.timeout(withinMs),
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(bytes && { "content-type": "application/json", "content-length": bytes.length }),
        ...headers,
      },
    };
    const sent = request(options, (answer) => {
      const parts: string[] = [];
      answer.setEncoding("utf8").on("data", (part: string) => void parts.push(part));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: parts.join("") }));
      answer.on("error", failed);
    });
    sent.on("error", (fault) => {
      // A kept connection may be closed while a request is on its way: a client asks again where that does no harm.
      if (sent.reusedSocket && method === "GET" && isReset(fault)) resolve(sendOn(sending, method, path, body));
      else failed(fault);
    });
    sent.end(bytes);
  });
}

const isReset = (fault: Error): boolean => "code" in fault && fault.code === "ECONNRESET";
