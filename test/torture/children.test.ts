// How processes under torture are paused.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { until } from "../receiver.ts";
import { pause } from "./children.ts";

test("what is paused goes on as soon as the pause is over before its time: a worker whose gateway died holds the port no longer", async (t) => {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  const { pid = 0 } = child;
  t.after(() => child.kill("SIGKILL"));
  // proc_pid_stat(5): the third field is the state, T is stopped.
  const isPaused = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.startsWith("T");
  let gatewayDied = false;
  const pausing = pause([pid], 600_000, () => gatewayDied);
  await until("it is paused", () => isPaused() === true);
  gatewayDied = true;
  await pausing;
  await until("it goes on", () => isPaused() === false);
});
