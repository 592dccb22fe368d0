// One install at a time in a folder. The lock is the name of a Unix socket in Linux's abstract namespace: the kernel
// gives it to one process and takes it back when that process dies. Elsewhere there is no lock, as with npm itself.
import { createHash } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Resolves with a function that gives the lock back. `onWait` is called once if another process has it. */
export async function holdLock(folder, onWait) {
  if (process.platform !== "linux") return () => undefined;
  const name = `\0faregate-install-${createHash("sha256").update(folder).digest("hex").slice(0, 32)}`;
  for (let tries = 0; ; tries++) {
    const server = await tryToListen(name);
    if (server !== undefined) return () => server.close();
    if (tries === 0) onWait();
    await sleep(200);
  }
}

function tryToListen(name) {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy());
    server.once("listening", () => resolve(server));
    server.once("error", (error) => (error.code === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    server.listen(name);
  });
}
