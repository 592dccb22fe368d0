// Archives that are the same to the byte whenever and wherever they are made: sorted names, one date, no owner.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const ROOT = join(import.meta.dirname, "..");
const MOST_BYTES = 2 ** 31;

/** When the checked-out commit was made, in seconds since 1970; without git, or for another date, what SOURCE_DATE_EPOCH says. */
export const commitSeconds = (): number =>
  Number(
    process.env.SOURCE_DATE_EPOCH ??
      execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: ROOT, encoding: "utf8" }),
  );

/** Of a folder's content; what a link in it points to is in its place. @param under the folder's name in the archive */
export function tarOf(folder: string, under: string, atSeconds: number): Buffer {
  const same = [
    "--sort=name",
    "--dereference",
    "--hard-dereference",
    "--format=ustar",
    `--mtime=@${atSeconds}`,
    "--owner=0",
    "--group=0",
    "--numeric-owner",
  ];
  const words = [...same, "--mode=u+rw,go+r,go-w,a+X", `--transform=s,^\\.,${under},`, "-C", folder, "-cf", "-", "."];
  return execFileSync("tar", words, { maxBuffer: MOST_BYTES });
}

/** zlib writes no time and no name. */
export const gzipOf = (tar: Buffer): Buffer => gzipSync(tar, { level: 9 });
