// The folder of the server's Unix socket. Only its owner and root may enter it.
import { chownSync, existsSync, lchownSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StartFault } from "../../start-fault.ts";
import type { Owner } from "./owner.ts";

const LONGEST_PATH_BYTES = 107; // sun_path of struct sockaddr_un holds 108 with the closing zero
/** A part of the socket's name only: nothing listens on TCP. */
export const PORT = 5432;
const SOCKET_FILE = `.s.PGSQL.${PORT}`;
const PREFIX = "faregate-socket-";

/** In the place itself, or in a fresh folder for temporary files when the path would be longer than a socket's may be. */
export function chooseSockets(folder: string, owner: Owner): string {
  const beside = join(folder, "run");
  if (Buffer.byteLength(join(beside, SOCKET_FILE)) <= LONGEST_PATH_BYTES) return beside;
  const shortest = [tmpdir(), "/tmp"].find((path) => Buffer.byteLength(path) < 50) ?? "/tmp";
  const sockets = mkdtempSync(join(shortest, PREFIX));
  chownSync(sockets, owner.uid, owner.gid);
  return sockets;
}

export function hasSocket(sockets: string): boolean {
  return existsSync(join(sockets, SOCKET_FILE));
}

/** To be called when no server runs. Removes what a killed server left there, which would keep the next one from starting. */
export function prepareSockets(sockets: string, owner: Owner): void {
  if (!existsSync(sockets)) {
    mkdirSync(sockets, { mode: 0o700 });
    lchownSync(sockets, owner.uid, owner.gid); // never through a link that another user put there meanwhile
  }
  const found = lstatSync(sockets);
  if (!found.isDirectory() || found.uid !== owner.uid) {
    throw new StartFault(`${sockets}, for the database's socket, is not a folder of user ${owner.uid}. Remove it.`);
  }
  // PostgreSQL judges by the process number in it: one that was given out again, or waits to be reaped, looks alive.
  rmSync(join(sockets, `${SOCKET_FILE}.lock`), { force: true });
}

/** Takes a folder for temporary files away again once its server has stopped. */
export function removeSockets(sockets: string): void {
  if (sockets.includes(PREFIX)) rmSync(sockets, { recursive: true, force: true });
}
