// The image as `npm run image` builds it, on base images of Debian's packages, at the lowest priority: a build takes a minute of both
// processors.

import { join } from "node:path";
import { ROOT } from "../../runner/jobs.ts";
import { run } from "../tools.ts";
import { BUILD_IMAGE, RUN_IMAGE } from "./base-images.ts";

interface Differently {
  /** A copy of the project's folder. */
  readonly sources?: string;
  /** Further options of `buildah build`. */
  readonly options?: readonly string[];
  /** Where to push it, and how to sign it: further options of `npm run image`. */
  readonly pushedTo?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** @param name of the list; the image of each platform has `-amd64` and so on behind it */
export async function buildTestImage(
  name: string,
  platforms: readonly string[],
  { sources = ROOT, options = [], pushedTo = [], env = {} }: Differently = {},
): Promise<void> {
  const words = [
    ...["--name", name, "--build-image", BUILD_IMAGE, "--run-image", RUN_IMAGE],
    ...platforms.flatMap((platform) => ["--platform", platform]),
    ...["--isolation=chroot", "--network=host", "--quiet", ...options].map((option) => `--option=${option}`),
    ...pushedTo,
  ];
  const how = { cwd: sources, env: { ...process.env, ...env } };
  await run(process.execPath, [join(sources, "scripts/image.ts"), ...words], how);
}
