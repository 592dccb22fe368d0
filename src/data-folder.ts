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
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { refuseOpenKeyFile } from "./key-file.ts";
import { reasonOf, StartFault } from "./start-fault.ts";

const SECRET_BYTES = 32;
/** Rights do not show in modes there, and folders cannot be synced. */
const onWindows = process.platform === "win32";

/** Creates the folder if it is missing (for its owner only) and makes sure that it can be written. @throws StartFault */
export function prepareDataFolder(folder: string): void {
  try {
    createFolder(folder, 0o700);
  } catch (error) {
    throw new StartFault(`Cannot create the data folder ${folder}: ${reasonOf(error)}. ${REMEDY}`);
  }
  const found = statSync(folder);
  if (!found.isDirectory()) throw new StartFault(`The data folder ${folder} is a file, not a folder. ${REMEDY}`);
  if (!onWindows && found.mode & 0o002) {
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

export const secretFile = (folder: string): string => join(folder, "secret.key");

/** The secret of this data folder, 32 random bytes, created on first use in `secret.key`. @throws StartFault */
export function dataFolderSecret(folder: string): Buffer {
  const file = secretFile(folder);
  let text: string;
  try {
    text = textInFolder(folder, "secret.key", () => `${randomBytes(SECRET_BYTES).toString("base64")}\n`);
  } catch (error) {
    throw new StartFault(`Cannot read or create the secret ${file}: ${reasonOf(error)}.`);
  }
  refuseOpenKeyFile(file);
  const secret = Buffer.from(text, "base64");
  if (secret.length !== SECRET_BYTES) {
    throw new StartFault(
      `The secret ${file} is damaged: it must hold ${SECRET_BYTES} bytes as base64. Restore it from a backup; ` +
        "what was sealed with it cannot be opened without it.",
    );
  }
  return secret;
}

/** The text of this file, which only its owner may read; made on first use. */
export function textInFolder(folder: string, name: string, make: () => string): string {
  const file = join(folder, name);
  return readIfThere(file) ?? create(folder, file, make());
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
function create(folder: string, file: string, text: string): string {
  const draft = draftOf(file, text, 0o600);
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  keepNames(folder);
  return readFileSync(file, "utf8");
}

/** In place of what the file holds: a crash leaves the one or the other. */
export function writeWhole(file: string, text: string, mode: number): void {
  const draft = draftOf(file, text, mode);
  try {
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  keepNames(dirname(file));
}

function draftOf(file: string, text: string, mode: number): string {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  const open = openSync(draft, "wx", mode);
  try {
    writeSync(open, text);
    fsyncSync(open);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(open);
  }
  return draft;
}

/** A file's name must survive a power failure as its content does. */
function keepNames(folder: string): void {
  if (onWindows) return;
  const entries = openSync(folder, "r");
  fsyncSync(entries);
  closeSync(entries);
}
