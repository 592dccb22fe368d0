// Sends a request to the process for heavy requests. If that process dies, the fault says whether it may have begun the work.

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { type HeavyRequest, WorkerGone } from "../api/heavy-requests.ts";
import { request } from "../node-http.ts";

/** Where it is, and the connections to it. */
type Asking = HeavyRequest & { readonly socketPath: string; readonly agent: Agent };

/** @throws WorkerGone */
export function ask({ method, path, headers, takeBody, signal, socketPath, agent }: Asking): Promise<IncomingMessage> {
  let unsent = takeBody();
  const length = unsent === undefined ? [] : ["content-length", String(unsent.length)];
  return new Promise((resolve, reject) => {
    const options = { socketPath, agent, method, path, headers: [...headers, ...length], ...(signal && { signal }) };
    const sent = made(options, resolve);
    if (sent instanceof Error) return reject(new WorkerGone(sent, false, unsent));
    sent.on("finish", () => {
      unsent?.fill(0);
      unsent = undefined;
    });
    sent.on("error", (fault: NodeJS.ErrnoException) => {
      const neverConnected = fault.syscall === "connect";
      reject(signal?.aborted ? fault : new WorkerGone(fault, !neverConnected, neverConnected ? unsent : undefined));
    });
    sent.end(unsent);
  });
}

/** A request may have come with what Node does not send, though it reads it. */
function made(options: RequestOptions, answered: (answer: IncomingMessage) => void): ClientRequest | Error {
  try {
    return request(options, answered);
  } catch (fault) {
    return fault as Error;
  }
}
