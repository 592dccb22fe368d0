// The folder for what this machine keeps: the sandbox's secret, the embedded database and its log.
// Made ready before anything else starts, so that whoever starts the gateway hears at once what is wrong with it.
import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { reasonOf, StartFault } from "./start-fault.ts";

const SECRET_BYTES = 32;

/** Creates the folder if it is missing (for its owner only) and makes sure that it can be written. @throws StartFault */
export function prepareDataFolder(folder: string): void {
  try {
    createFolder(folder, 0o700);
  } catch (error) {
    throw new StartFault(`Cannot create the data folder ${folder}: ${reasonOf(error)}. ${REMEDY}`);
  }
  const found = statSync(folder);
  if (!found.isDirectory()) throw new StartFault(`The data folder ${folder} is a file, not a folder. ${REMEDY}`);
  if (found.mode & 0o002) {
    throw new StartFault(`Anybody may write to the data folder ${folder}. Close it with: chmod o-w ${folder}`);
  }
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartFault(
      `Cannot write to the data folder ${folder} (it belongs to user ${found.uid}): ${reasonOf(error)}. ${REMEDY}`,
    );
  }
}

/** Not mkdirSync's `recursive`: it never returns where the file system says ENOENT to every new folder (/proc, autofs). */
function createFolder(folder: string, mode: number): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder), 0o755);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (!existsSync(folder)) throw error; // otherwise another start was faster
  }
}

const REMEDY = "Give this user the right to, or name another folder in FAREGATE_DATA.";

/** The secret of this data folder, 32 random bytes, created on first use in `secret.key`. @throws StartFault */
export function dataFolderSecret(folder: string): Buffer {
  const file = join(folder, "secret.key");
  let text: string;
  try {
    text = readIfThere(file) ?? createSecret(folder, file);
  } catch (error) {
    throw new StartFault(`Cannot read or create the secret ${file}: ${reasonOf(error)}.`);
  }
  const secret = Buffer.from(text, "base64");
  if (secret.length !== SECRET_BYTES) {
    throw new StartFault(
      `The secret ${file} is damaged: it must hold ${SECRET_BYTES} bytes as base64. Restore it from a backup; ` +
        "what was sealed with it cannot be opened without it.",
    );
  }
  return secret;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Written whole under another name and then linked: a crash leaves no half secret, and of two starts at once one wins. */
function createSecret(folder: string, file: string): string {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    const draftFile = openSync(draft, "wx", 0o600);
    writeSync(draftFile, `${randomBytes(SECRET_BYTES).toString("base64")}\n`);
    fsyncSync(draftFile);
    closeSync(draftFile);
    try {
      linkSync(draft, file);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const entries = openSync(folder, "r");
  fsyncSync(entries); // the file's name must survive a power failure as its content does
  closeSync(entries);
  return readFileSync(file, "utf8");
}
