// Makes a few files of the many of src/, which Node links in a fraction of the time. Types are checked by `npm run check`.
// `node bin/bundle.mjs <folder>` makes the gateway's programs, under the Node of the project; `node bin/bundle.mjs <folder>
// <program>` one of the tests', which finds beside compiled/ what the gateway's own find.
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
// Vite's bundler.
import { rolldown } from "rolldown";
import { COMPILED } from "./compile.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = join(ROOT, "src");
/** Each is the whole of a process. */
const PROGRAMS = ["main", "faregate", "heavy-worker/process", "workers/process"];
/** It alone is hundreds of files. */
const INCLUDED = /^typebox(\/|$)/;

/**
 * V8 keeps the text of every file that runs, at two bytes a character if a single one of it is beyond Latin-1. What is left of comments
 * names the sources.
 */
const FEW_BYTES = { charset: "ascii", comments: { jsdoc: false, annotation: false } };

/** All code is at the top of the folder: from there the rest of it can be found, whichever file the code came to be in. */
async function bundleGateway(folder) {
  const programs = PROGRAMS.filter((name) => existsSync(join(SOURCES, `${name}.ts`)));
  await bundle(folder, Object.fromEntries(programs.map((name) => [atTop(name), join(SOURCES, `${name}.ts`)])), {
    folder: "import.meta.dirname",
    url: "import.meta.url",
  });
  for (const name of programs.filter((one) => one !== atTop(one))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, `${name}.js`), `import "../${atTop(name)}.js";\n`);
  }
  // What the gateway reads when it runs, such as migrations.
  for (const file of readdirSync(SOURCES, { recursive: true }))
    if (extname(file) !== "" && extname(file) !== ".ts") cpSync(join(SOURCES, file), join(folder, file));
  const licence = join(ROOT, "node_modules/typebox/license");
  if (existsSync(licence)) cpSync(licence, join(folder, "typebox.LICENSE.txt"));
}

const atTop = (name) => name.replaceAll("/", "-");

function bundleProgram(folder, program) {
  const compiled = join(ROOT, COMPILED);
  const top = { folder: JSON.stringify(compiled), url: JSON.stringify(pathToFileURL(join(compiled, "main.js")).href) };
  return bundle(folder, { [basename(program, ".ts")]: join(ROOT, program) }, top);
}

/** @param top how code says where the top of the gateway's folder is */
async function bundle(folder, input, top) {
  const made = await rolldown({
    ...{ input, cwd: ROOT, platform: "node", logLevel: "warn", checks: { pluginTimings: false } },
    external: (id) => /^[@a-z]/i.test(id) && !isAbsolute(id) && !INCLUDED.test(id),
    plugins: [ownPlaces(top)],
  });
  const names = { entryFileNames: "[name].js", chunkFileNames: "part-[hash].js" };
  await made.write({ dir: folder, format: "esm", ...names, ...FEW_BYTES });
  await made.close();
}

/** What a module of src/ says of its own place holds when its code is elsewhere: what lies beside its source lies below the top. */
const ownPlaces = (top) => ({
  name: "own places",
  transform(code, id) {
    const place = relative(SOURCES, id).replaceAll("\\", "/");
    if (place.startsWith("..") || isAbsolute(place) || !code.includes("import.meta.")) return null;
    const [folder, file] = [dirname(`/${place}`).replace(/\/$/, ""), place.replace(/\.ts$/, ".js")];
    const instead = {
      "import.meta.dirname": `(${top.folder} + "${folder}")`,
      "import.meta.filename": `(${top.folder} + "/${file}")`,
      "import.meta.url": `new URL("${file}", ${top.url}).href`,
    };
    return code.replaceAll(/import\.meta\.(dirname|filename|url)\b/g, (whole) => instead[whole]);
  },
});

const [folder, program] = process.argv.slice(2);
await (program === undefined ? bundleGateway(folder) : bundleProgram(folder, program));
