// Key files, which only their owner may read or change. A problem is reported with the command that fixes it.

import { statSync } from "node:fs";
import { StartFault } from "./start-fault.ts";

const OTHERS = 0o006;
const GROUP = 0o060;

/** Whoever has an account on this machine could seal and open with the key. @throws StartFault */
export function refuseOpenKeyFile(file: string): void {
  if ((modeOf(file) & OTHERS) === 0) return;
  throw new StartFault(
    `Anybody on this machine may read or change the key file ${file}. Close it with: chmod 600 ${file} ` +
      "(for a secret mounted by Kubernetes, defaultMode: 0440; by Docker, mode: 0440), and treat its key as known to others.",
  );
}

/** As it is with secrets that Kubernetes mounts for a group and with systemd's credentials, so it is no reason to stop. */
export const groupMayUse = (file: string): boolean => (modeOf(file) & GROUP) !== 0;

/** Of the file itself where its name is a link. None if it is gone; nor on Windows, whose rights do not show in modes. */
const modeOf = (file: string): number =>
  process.platform === "win32" ? 0 : (statSync(file, { throwIfNoEntry: false })?.mode ?? 0);
