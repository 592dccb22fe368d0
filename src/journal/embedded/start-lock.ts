// One start (or stop) at a time for a cluster, over all processes of this machine. The lock is the name of a Unix socket
// in Linux's abstract namespace: the kernel gives it to one process and takes it back when that process dies.
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { StartFault } from "../../start-fault.ts";

const RETRY_MS = 50;
const MENTION_AFTER_MS = 3_000;

/** Runs `work` while no other process does so for this path. @throws StartFault after `patienceMs` of waiting */
export async function withStartLock<T>(
  path: string,
  log: (line: string) => void,
  work: () => Promise<T>,
  patienceMs = 600_000,
): Promise<T> {
  const name = `\0faregate-start-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
  let lock = await tryToTake(name);
  for (let waitedMs = 0; lock === undefined; waitedMs += RETRY_MS) {
    if (waitedMs >= patienceMs) throw new StartFault(`Another start is still busy with the database in ${path}.`);
    if (waitedMs === MENTION_AFTER_MS) log(`Another start is busy with the database in ${path}; waiting for it`);
    await sleep(RETRY_MS);
    lock = await tryToTake(name);
  }
  try {
    return await work();
  } finally {
    lock.close();
  }
}

function tryToTake(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy());
    server.once("listening", () => resolve(server));
    server.once("error", (error) => {
      if ("code" in error && error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(name);
  });
}
