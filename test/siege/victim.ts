// Merchant V's process, as the run sees it.

import { fork } from "node:child_process";
import { join } from "node:path";
import type { Undo } from "../../bench/undo.ts";
import type { Compared, Told, VictimFigures, VictimStart } from "./victim-process.ts";

export interface Victim {
  phase(name: string): void;
  tell(): Promise<VictimFigures>;
  /** No more sales; then its list is held against what it sold. */
  compare(): Promise<Compared>;
}

export function startVictim(undo: Undo, start: VictimStart): Victim {
  const child = fork(join(import.meta.dirname, "victim-process.ts"), { execArgv: [] });
  undo.add(() => void child.kill("SIGKILL"));
  const { promise: gone, reject } = Promise.withResolvers<never>();
  gone.catch(() => undefined); // told to who asks
  child.once("exit", () => reject(new Error("the merchant's process has ended")));
  const send = (told: Told) => void child.send(told, (fault) => fault && reject(fault));
  const asked = <T>(told: Told): Promise<T> => {
    const answer = new Promise<T>((resolve) => child.once("message", (message) => resolve(message as T)));
    send(told);
    return Promise.race([answer, gone]);
  };
  send(start);
  return {
    phase: (phase) => send({ phase }),
    tell: () => asked("tell"),
    compare: () => {
      send("stop");
      return asked("compare");
    },
  };
}
