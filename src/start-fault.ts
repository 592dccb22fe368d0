// Why a start cannot go on, in one line for the person at the terminal.

/** Why the gateway cannot start, told to the person who starts it: one line that says what is wrong and what to do. */
export class StartFault extends Error {
  override readonly name = "StartFault";
}

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
