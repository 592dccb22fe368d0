// How much may come for one question over HTTP, whatever it is made of: interim answers, which may go on without end, headers, body, trailers.

import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";

/**
 * @param socket that the question got
 * @param tooMuch what it is given up with
 */
export function boundBytes(request: ClientRequest, socket: Socket, most: number, tooMuch: () => Error): void {
  let left = most;
  const count = (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy(tooMuch());
  };
  socket.on("data", count);
  request.once("close", () => socket.off("data", count));
}
