// Runs a program to its end, whatever signals this process gets meanwhile: they are passed on.
import { spawn } from "node:child_process";

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP"];
const LOOK_EVERY_MS = 500;

/**
 * Resolves with { code, signal } when the program and its output have ended; rejects if it does not start.
 * A Ctrl-C in a terminal reaches the program by itself as well: it may see the same signal more than once.
 */
export function follow(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, options);
    const passOn = (signal) => child.kill(signal);
    for (const signal of PASSED_ON) process.on(signal, passOn);
    const parent = process.ppid;
    // npx ends the shell between itself and this process, which hears nothing of it.
    const orphaned = setInterval(() => {
      if (process.env.npm_command === "exec" && process.ppid !== parent) child.kill("SIGTERM");
    }, LOOK_EVERY_MS).unref();
    const stop = () => {
      clearInterval(orphaned);
      for (const signal of PASSED_ON) process.off(signal, passOn);
    };
    child.once("error", (error) => {
      stop();
      reject(error);
    });
    child.once("close", (code, signal) => {
      stop();
      resolve({ code, signal });
    });
    child.stdout?.on("data", options.onOutput);
    child.stderr?.on("data", options.onOutput);
  });
}
