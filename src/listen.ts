// Where a gateway listens, or why it cannot: in one line for the person who starts it.

import { type AddressInfo, createServer } from "node:net";
import { type Doors, listening, type Place } from "./api/doors.ts";
import { reasonOf, StartFault } from "./start-fault.ts";
import type { Undo } from "./undo.ts";

/** @throws StartFault */
export const listen = (doors: Doors, { host, port }: Place): Promise<string> =>
  doors.listen({ host, port }).catch((fault: unknown) => refuse(fault, { host, port }));

/**
 * A port that nobody has, and that no other gateway takes before this one stops. The port may be 0. Sockets that share a port share it with
 * another gateway's, too, and a gateway whose workers have all died has none for a moment.
 * @throws StartFault
 */
export async function reservePort({ host, port }: Place, undo: Undo): Promise<number> {
  try {
    const free = await freePlace(host, port);
    if (process.platform === "linux") undo.push(await reserve(free));
    return free.port;
  } catch (fault) {
    return refuse(fault, { host, port });
  }
}

/** Found by a socket that does not share it. */
async function freePlace(host: string, port: number): Promise<AddressInfo> {
  const probe = createServer();
  await listening(probe, { host, port });
  const address = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return address;
}

/**
 * By a name that the system gives to one process of a network namespace, as it does a port, for as long as that lives: an abstract address
 * (unix(7)), without a file that a crash would leave.
 * @returns what gives it back
 */
async function reserve({ address, port }: AddressInfo): Promise<() => Promise<unknown>> {
  const name = createServer((stranger) => stranger.destroy()).unref();
  await listening(name, { path: `\0faregate ${address} ${port}` });
  return () => new Promise((closed) => name.close(closed));
}

function refuse(fault: unknown, { host, port }: Place): never {
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : "";
  const where = `${host}:${port}`;
  if (code === "EADDRINUSE")
    throw new StartFault(`Port ${port} of ${host} is in use. Stop what listens there, or choose another: PORT=8081`);
  if (code === "EACCES")
    throw new StartFault(`This user may not listen on ${where}. Choose a port from 1024 up: PORT=8080`);
  throw new StartFault(`Cannot listen on ${where}: ${reasonOf(fault)}. Look at HOST and PORT.`);
}
