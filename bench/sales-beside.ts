// Sales at a steady rate beside what is measured, from a process of their own: steady-sales.ts.

import { fork } from "node:child_process";
import { join } from "node:path";
import type { RunningGateway } from "./gateway.ts";
import type { Phases, Told } from "./steady-sales.ts";
import type { Undo } from "./undo.ts";

export interface SalesBeside {
  phase(name: string): void;
  tell(): Promise<Phases>;
  /** Sends no more. */
  stop(): void;
}

export function steadySales(undo: Undo, { url, sandbox }: RunningGateway, salesPerSecond: number): SalesBeside {
  const child = fork(join(import.meta.dirname, "steady-sales.ts"));
  const stop = () => void child.kill();
  undo.add(stop);
  const { promise: gone, reject } = Promise.withResolvers<never>();
  gone.catch(() => undefined); // told to who asks for the figures
  child.once("exit", () => reject(new Error("the process that sends the sales has ended")));
  const told = (what: Told) => void child.send(what, (fault) => fault && reject(fault));
  told({ url, token: sandbox.api_token, processorId: sandbox.processors.usd ?? "", salesPerSecond });
  return {
    stop,
    phase: (phase) => told({ phase }),
    tell: () => {
      const figures = new Promise<Phases>((resolve) => child.once("message", (message) => resolve(message as Phases)));
      told("tell");
      return Promise.race([figures, gone]);
    },
  };
}
