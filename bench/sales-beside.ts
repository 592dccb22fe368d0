// Sales at a steady rate beside what is measured, from a process of their own: steady-sales.ts.

import { fork } from "node:child_process";
import { join } from "node:path";
import type { RunningGateway } from "./gateway.ts";
import type { Phases, Told } from "./steady-sales.ts";
import type { Undo } from "./undo.ts";

export interface SalesBeside {
  readonly pid: number;
  phase(name: string): void;
  /** Sends no more, and waits for what is in flight. */
  tell(): Promise<Phases>;
  /** Sends no more, and waits for nothing. */
  stop(): void;
}

/** @param gateways one, or several on one database that are sent to in turn */
export function steadySales(
  undo: Undo,
  gateways: Pick<RunningGateway, "url" | "sandbox"> | readonly Pick<RunningGateway, "url" | "sandbox">[],
  salesPerSecond: number,
): SalesBeside {
  const all = [gateways].flat();
  const [first] = all;
  if (first === undefined) throw new Error("there is no gateway to send to");
  const { api_token: token, processors } = first.sandbox;
  // Node's test runner, where this is tested, hands its options on.
  const execArgv = process.execArgv.filter((option) => !option.startsWith("--test"));
  const child = fork(join(import.meta.dirname, "steady-sales.ts"), { execArgv });
  const stop = () => void child.kill();
  undo.add(stop);
  const { promise: gone, reject } = Promise.withResolvers<never>();
  gone.catch(() => undefined); // told to who asks for the figures
  child.once("exit", () => reject(new Error("the process that sends the sales has ended")));
  const told = (what: Told) => void child.send(what, (fault) => fault && reject(fault));
  told({ urls: all.map(({ url }) => url), token, processorId: processors.usd ?? "", salesPerSecond });
  return {
    pid: child.pid ?? 0,
    stop,
    phase: (phase) => told({ phase }),
    tell: () => {
      const figures = new Promise<Phases>((resolve) => child.once("message", (message) => resolve(message as Phases)));
      told("tell");
      return Promise.race([figures, gone]);
    },
  };
}
