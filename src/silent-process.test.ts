import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { endIfSilent } from "./silent-process.ts";

/** A process that answers whatever it is told. */
async function answering(t: TestContext): Promise<ChildProcess> {
  const program = "process.on('message', () => process.send('here')); process.send('ready')";
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  t.after(() => child.kill("SIGKILL"));
  await once(child, "message");
  return child;
}

test("a process that answers goes on, and one that is stopped is killed, after it was asked so many times", async (t) => {
  const child = await answering(t);
  let [asked, told] = [0, 0];
  const ask = () => {
    asked += 1;
    child.send("?", () => undefined);
  };
  const silent = () => {
    told += 1;
  };
  endIfSilent(child, ask, silent, { everyMs: 250, times: 4 });
  while (asked < 10) await once(child, "message");
  assert.equal(told, 0);
  child.kill("SIGSTOP");
  const [, signal] = await once(child, "exit");
  assert.deepEqual([signal, told], ["SIGKILL", 1]);
});
