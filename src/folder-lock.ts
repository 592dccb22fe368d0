// One gateway for each data folder, since two would overwrite each other's sandbox.json. The lock is the name of a Unix
// socket in Linux's abstract namespace: the kernel gives it to one process and takes it back when that process dies, and
// whoever knocks is told which gateway it is.

import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { StartFault } from "./start-fault.ts";

const ANSWER_WITHIN_MS = 1_000;

export interface FolderLock {
  /** From when on it is known: whoever comes later is told where this gateway listens. */
  listensOn(url: string): void;
  release(): Promise<void>;
}

/** @throws StartFault if another gateway has it */
export async function lockFolder(folder: string): Promise<FolderLock> {
  // Elsewhere there are no such names, and a gateway must not fail for want of one.
  if (process.platform !== "linux") return { listensOn: () => undefined, release: async () => undefined };
  const path = realpathSync(folder);
  const name = `\0faregate-gateway-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
  let holder = `process ${process.pid}`;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.end(holder);
  });
  if (!(await taken(server, name)))
    throw new StartFault(
      `Another gateway uses the data folder ${folder} (${await holderOf(name)}). Stop it, or give this one a folder of its ` +
        "own with FAREGATE_DATA. Nodes on one DATABASE_URL have a folder each and the same FAREGATE_SECRET.",
    );
  return {
    listensOn: (url) => {
      holder = `process ${process.pid}, ${url}`;
    },
    release: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function taken(server: Server, name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once("listening", () => resolve(true));
    server.once("error", (error) => {
      if ("code" in error && error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    // It keeps no process alive that has nothing else to do.
    server.listen(name).unref();
  });
}

async function holderOf(name: string): Promise<string> {
  const socket = connect(name);
  socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error("no answer")));
  return text(socket).catch(() => "which one it does not say");
}
