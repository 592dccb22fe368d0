// A port for a program that is told where to listen, now or when it is started again: of those below the ones that the system
// gives to whoever asks for any (ip_local_port_range), so that nobody else gets it meanwhile.

import { createServer } from "node:net";

const FIRST = 10_000;
const COUNT = 22_000;
/** Processes that look for ports at the same time begin at places of their own. */
const OF_A_PROCESS = 64;
let next = (process.pid * OF_A_PROCESS) % COUNT;

/** Nobody listens on it, on this machine's own address. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = FIRST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`All ports from ${FIRST} to ${FIRST + COUNT - 1} are taken.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
