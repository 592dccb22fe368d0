// Where a gateway listens, or why it cannot: in one line for the person who starts it.

import { type Doors, freePort } from "./api/doors.ts";
import type { Settings } from "./settings.ts";
import { reasonOf, StartFault } from "./start-fault.ts";

type Place = Pick<Settings, "host" | "port">;

/**
 * @param shared other processes of this gateway listen on the port, too, and found out that it is free
 * @throws StartFault
 */
export const listen = (doors: Doors, { host, port }: Place, shared = false): Promise<string> =>
  doors.listen({ host, port, shared }).catch((fault: unknown) => refuse(fault, { host, port }));

/** A port that nobody has, for several processes to listen on. @throws StartFault */
export const findPort = ({ host, port }: Place): Promise<number> =>
  freePort(host, port).catch((fault: unknown) => refuse(fault, { host, port }));

function refuse(fault: unknown, { host, port }: Place): never {
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : "";
  const where = `${host}:${port}`;
  if (code === "EADDRINUSE")
    throw new StartFault(`Port ${port} of ${host} is in use. Stop what listens there, or choose another: PORT=8081`);
  if (code === "EACCES")
    throw new StartFault(`This user may not listen on ${where}. Choose a port from 1024 up: PORT=8080`);
  throw new StartFault(`Cannot listen on ${where}: ${reasonOf(fault)}. Look at HOST and PORT.`);
}
