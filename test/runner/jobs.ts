// What a run consists of: test files, which go to a shard's worker process, and checks that are one command or one gateway.

import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join, relative } from "node:path";
import { withGateway } from "../gateway-under-test.ts";
import type { Report, Shard } from "./shard.ts";

export const ROOT = join(import.meta.dirname, "../..");

export interface Job {
  readonly name: string;
  /**
   * `alone`: it measures, or needs all of the machine. `patient`: it only computes, and has the lowest priority, so that it disturbs
   * nothing that it runs beside. `foreign`: its tools have the lowest priority, and a lane of their own beside the tests.
   */
  readonly place?: "alone" | "patient" | "foreign";
  /** @param shard of its lane, free for this job */
  run(shard: Shard, openAnother: (env: NodeJS.ProcessEnv) => Shard): Promise<readonly Report[]>;
}

/** Whether it wants the machine to itself. @param file a path */
export const runsAlone = (file: string): boolean => /\.alone\.(test|case)\.ts$/.test(file);

export const fileJob = (file: string): Job => ({
  name: file,
  ...(runsAlone(file) && { place: "alone" }),
  run: async (shard) => [await shard.run(join(ROOT, file), file)],
});

/** What it installs and compiles waits for the tests beside it. */
const FOREIGN_DEADLINE_MS = 45 * 60_000;

export const foreignJob = (file: string): Job => ({
  name: file,
  place: "foreign",
  run: async (shard) => [await shard.run(join(ROOT, file), file, FOREIGN_DEADLINE_MS)],
});

/** It passes with exit code 0. */
export const commandJob = (name: string, program: string, ...parameters: string[]): Job => ({
  name,
  place: "patient",
  run: async () => {
    const startedAt = performance.now();
    const { code, output } = await outputOf(join(ROOT, "node_modules", program), parameters);
    const failures = code === 0 ? [] : [{ path: [], line: undefined, text: output }];
    return [{ name, passed: code === 0 ? 1 : 0, failures, notes: "", ms: performance.now() - startedAt }];
  },
});

function outputOf(program: string, parameters: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...parameters], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("close", (code) => resolve({ code, output }));
  });
}

/**
 * The black-box checks, where they lie beside the project: file after file, against one gateway.
 * @param folder in which they are; without any there is no job
 */
export function acceptanceJobs(folder: string): readonly Job[] {
  const files = globSync("*.test.mjs", { cwd: folder })
    .sort()
    .map((file) => join(folder, file));
  if (files.length === 0) return [];
  return [
    {
      name: "acceptance",
      run: (_shard, openAnother) =>
        withGateway(async (sandboxFile) => {
          const shard = openAnother({ FAREGATE_SANDBOX: sandboxFile });
          try {
            const reports: Report[] = [];
            for (const file of files) reports.push(await shard.run(file, relative(join(ROOT, ".."), file)));
            return reports;
          } finally {
            await shard.close();
          }
        }),
    },
  ];
}
