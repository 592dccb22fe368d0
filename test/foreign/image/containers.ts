// Containers by podman, in an image store of the tests' own: what a test builds, and whatever it calls it, is not among this machine's
// images. Where the usual runtime cannot start a container (crun with both versions of control groups), runc does, if it is there.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../runner/jobs.ts";
import { runAtOnce } from "../tools.ts";

const STORE = join(ROOT, "node_modules/.cache/faregate/foreign/images");
/** The first process of containers that have `init: true`. */
export const INIT = join(STORE, "catatonit");
/** What this process may open at most is the most that a container may. */
const OPEN_FILES = 4_096;

/** For this process and those it starts. To be called first. */
export function useOwnStore(): void {
  mkdirSync(STORE, { recursive: true });
  const storage = join(STORE, "storage.conf");
  writeFileSync(
    storage,
    `[storage]\ndriver = "overlay"\ngraphroot = "${STORE}/graph"\nrunroot = "/run/faregate-foreign/${process.pid}"\n`,
  );
  process.env.CONTAINERS_STORAGE_CONF = storage;
  const settings = join(STORE, "containers.conf");
  const networks = `[network]\nnetwork_backend = "netavark"\nnetwork_config_dir = "${STORE}/networks"\n`;
  const limits = `default_ulimits = ["nofile=${OPEN_FILES}:${OPEN_FILES}", "nproc=${OPEN_FILES}:${OPEN_FILES}"]`;
  const write = (runtime: string) =>
    writeFileSync(
      settings,
      `[containers]\n${limits}\ninit_path = "${INIT}"\n${networks}[engine]\ncgroup_manager = "cgroupfs"\nruntime = "${runtime}"\n`,
    );
  process.env.CONTAINERS_CONF = settings;
  write("crun");
  const { stdout } = spawnSync("stat", ["-f", "-c", "%T", "/sys/fs/cgroup"], { encoding: "utf8" });
  if (stdout.trim() !== "cgroup2fs") write("runc");
}

export interface Container {
  readonly id: string;
  /** Inside, by the image's own user. @returns what it prints */
  exec(...words: readonly string[]): Promise<string>;
  /** By the image's own health check, which waits for nobody. */
  isHealthy(): Promise<boolean>;
  logs(): Promise<string>;
  /** SIGTERM, and SIGKILL after so many seconds. @returns the exit code */
  stop(seconds: number): Promise<number>;
  remove(): Promise<void>;
}

/** In the background. @param options of `podman run` */
export async function startContainer(
  image: string,
  options: readonly string[],
  ...words: string[]
): Promise<Container> {
  const { stdout } = await runAtOnce("podman", ["run", "--detach", ...options, image, ...words]);
  return containerOf(stdout.trim());
}

/** @param id or its name */
export function containerOf(id: string): Container {
  return {
    id,
    exec: async (...words) => (await runAtOnce("podman", ["exec", id, ...words])).stdout,
    isHealthy: () =>
      runAtOnce("podman", ["healthcheck", "run", id]).then(
        () => true,
        () => false,
      ),
    logs: async () => {
      const { stdout, stderr } = await runAtOnce("podman", ["logs", id]);
      return stdout + stderr;
    },
    stop: async (seconds) => {
      await runAtOnce("podman", ["stop", "--time", `${seconds}`, id]);
      return Number((await runAtOnce("podman", ["inspect", "--format", "{{.State.ExitCode}}", id])).stdout);
    },
    remove: async () => void (await runAtOnce("podman", ["rm", "--force", "--volumes", id])),
  };
}

/** @returns so many milliseconds it took */
export async function healthy(container: Pick<Container, "isHealthy" | "logs">, withinMs = 180_000): Promise<number> {
  const since = performance.now();
  while (!(await container.isHealthy())) {
    if (performance.now() - since > withinMs) throw new Error(`not healthy: ${await container.logs()}`);
    await sleep(100);
  }
  return performance.now() - since;
}
