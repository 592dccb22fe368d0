// Sends a load from a process of its own and takes the CPU time that gateway and database spend on it.

import { fork } from "node:child_process";
import { join } from "node:path";
import type { RunningGateway } from "./gateway.ts";
import type { Load, LoadReply, LoadResult } from "./load.ts";
import { cpuMicrosOfFamily } from "./processes.ts";

export interface Measured extends LoadResult {
  readonly gatewayMicrosPerSale: number;
  readonly databaseMicrosPerSale: number;
}

export interface Sender {
  readonly pid: number;
  /** @param gateways one, or several on one database that share the connections */
  send(
    gateways: RunningGateway | readonly RunningGateway[],
    connections: number,
    until: Load["until"],
  ): Promise<Measured>;
  close(): void;
}

export function openSender(): Sender {
  const child = fork(join(import.meta.dirname, "load.ts"), { detached: true });
  let loads = 0;
  const reply = () =>
    new Promise<LoadReply>((resolve) => {
      const gone = () => resolve({ failure: "the process that sends the load has ended" });
      child.once("exit", gone);
      child.once("message", (message) => {
        child.off("exit", gone);
        resolve(message as LoadReply);
      });
    });

  return {
    pid: child.pid ?? 0,
    send: async (gateways, connections, until) => {
      const all = [gateways].flat();
      const [first] = all;
      if (first === undefined) throw new Error("there is no gateway to send to");
      const { sandbox, databasePid } = first;
      const spent = () => ({
        gateway: all.reduce((sum, { pid }) => sum + cpuMicrosOfFamily(pid), 0),
        database: cpuMicrosOfFamily(databasePid),
      });
      const urls = all.map(({ url }) => url);
      const token = sandbox.api_token;
      const processorId = sandbox.processors.usd ?? "";
      const before = spent();
      child.send({ urls, token, processorId, run: `${Date.now()}-${++loads}`, connections, until } satisfies Load);
      const answer = await reply();
      if ("failure" in answer) throw new Error(`A load of ${connections} connections failed: ${answer.failure}`);
      const after = spent();
      const { result } = answer;
      return {
        ...result,
        gatewayMicrosPerSale: (after.gateway - before.gateway) / result.sales,
        databaseMicrosPerSale: (after.database - before.database) / result.sales,
      };
    },
    close: () => void child.kill(),
  };
}
