// Why a start cannot go on, in one line for the person at the terminal.

/** Why the gateway cannot start, told to the person who starts it: one line that says what is wrong and what to do. */
export class StartFault extends Error {
  override readonly name = "StartFault";
  constructor(line: string) {
    super(withRemedy(line));
  }
}

/** As Node, PostgreSQL, and PostgreSQL in the middle of a page say it. */
const DISK_FULL = /no space left on device|ENOSPC|wrote only \d+ of \d+ bytes|disk is full|disk quota/i;

const REMEDY = "Free some space on that disk, or set FAREGATE_DATA to a folder on another one, and start again.";

/** Where the disk is full, what to do is the same, whatever could not be written. A worker's line has it already. */
export const withRemedy = (line: string): string =>
  DISK_FULL.test(line) && !line.includes(REMEDY) ? `${line} ${REMEDY}` : line;

/** Whether a fault of any kind says that the disk is full. */
export const isDiskFull = (fault: unknown): boolean => DISK_FULL.test(String(fault));

/** The system's own word for why a file or folder could not be used, in words: "permission denied" for EACCES. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "something else is there already",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "the path is too long",
};
