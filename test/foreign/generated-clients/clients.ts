// The generators that people use, each with its way from the document to a program that runs: generate, compile, and the command. The
// programs are in programs/; what is generated is removed after the run.

import { cpSync, existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../runner/jobs.ts";
import { goProgram, mavenArtifact, mavenDependencies, pythonWith, run } from "../tools.ts";

const OPENAPI_GENERATOR = "org.openapitools:openapi-generator-cli:7.25.0";
const OAPI_CODEGEN = ["github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen", "v2.8.2"] as const;
const PROGRAMS = join(import.meta.dirname, "programs");
const BIN = join(ROOT, "node_modules/.bin");

export interface Place {
  /** Empty, and removed after. */
  readonly folder: string;
  readonly document: string;
}

export interface Command {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Why the program cannot run here, although its client compiles. */
  readonly missing?: string;
}

export interface GeneratedClient {
  readonly name: string;
  /** Programs in PATH. */
  readonly needs: readonly string[];
  /** What is downloaded, before anything is generated. */
  readonly install: () => Promise<unknown>;
  /** Generates and compiles; throws if either fails. */
  readonly make: (place: Place) => Promise<Command>;
}

async function openapiGenerator({ folder, document }: Place, generator: string, ...more: readonly string[]) {
  const jar = await mavenArtifact(OPENAPI_GENERATOR);
  const out = join(folder, "client");
  const parameters = ["generate", "-i", document, "-g", generator, "-o", out, ...more];
  await run("java", ["-jar", jar, ...parameters]);
  return out;
}

const GENERATOR = () => mavenArtifact(OPENAPI_GENERATOR);
const PYTHON = () =>
  pythonWith("clients", "pydantic==2.14.4", "urllib3==2.8.0", "python-dateutil==4.0.0", "typing-extensions==4.16.0");
const PYTHON_CLIENT = () => pythonWith("openapi-client", "openapi-python-client==0.29.1");

/** TypeScript is checked by the compiler and bundled, as an application would be. */
async function compiledTypeScript({ folder }: Place, program: string): Promise<Command> {
  const sources = join(folder, "program");
  mkdirSync(sources);
  cpSync(join(PROGRAMS, program), join(sources, "main.ts"));
  const config = ["--strict", "--noEmit", "--module", "esnext", "--target", "es2022", "--moduleResolution", "bundler"];
  const libraries = ["--lib", "es2022,dom", "--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
  await run(join(BIN, "tsc"), ["--ignoreConfig", ...config, ...libraries, "--skipLibCheck", join(sources, "main.ts")]);
  const bundle = join(folder, "main.mjs");
  await run(join(BIN, "rolldown"), [join(sources, "main.ts"), "--file", bundle, "--platform", "node"]);
  return { program: process.execPath, parameters: [bundle] };
}

/** A Go module beside the one that was generated, in one program. */
async function compiledGo({ folder }: Place, program: string): Promise<Command> {
  mkdirSync(join(folder, "program"));
  cpSync(join(PROGRAMS, program), join(folder, "program/main.go"));
  const go = (...parameters: string[]) => run("go", parameters, { cwd: folder });
  await go("mod", "init", "faregate.test");
  await go("mod", "tidy");
  await go("vet", "./client");
  await go("build", "-o", "main", "./program");
  return { program: join(folder, "main"), parameters: [] };
}

/** Debian's php-guzzlehttp-guzzle; Composer's packages are not everywhere to be had. */
const GUZZLE = "/usr/share/php/GuzzleHttp/autoload.php";

export const CLIENTS: readonly GeneratedClient[] = [
  {
    name: "openapi-generator for Python",
    needs: ["java", "mvn", "python3"],
    install: () => Promise.all([GENERATOR(), PYTHON()]),
    make: async (place) => {
      const out = await openapiGenerator(place, "python");
      const program = await PYTHON();
      await run(program, ["-m", "compileall", "-q", out]);
      return {
        program,
        parameters: [join(PROGRAMS, "openapi_generator.py")],
        env: { PYTHONPATH: out, PYTHONDONTWRITEBYTECODE: "1" },
      };
    },
  },
  {
    name: "openapi-python-client",
    needs: ["python3"],
    install: PYTHON_CLIENT,
    make: async ({ folder, document }) => {
      const program = await PYTHON_CLIENT();
      const out = join(folder, "faregate_client");
      const parameters = ["generate", "--path", document, "--output-path", out, "--meta", "none"];
      const { stdout } = await run(join(program, "../openapi-python-client"), parameters);
      // It leaves out what it cannot express, with a warning.
      if (/unable to|skipping (?!integration)/i.test(stdout)) throw new Error(stdout);
      return {
        program,
        parameters: [join(PROGRAMS, "openapi_python_client.py")],
        env: { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" },
      };
    },
  },
  {
    name: "openapi-generator for TypeScript (typescript-fetch)",
    needs: ["java", "mvn"],
    install: GENERATOR,
    make: async (place) => {
      await openapiGenerator(place, "typescript-fetch");
      return compiledTypeScript(place, "typescript-fetch.ts");
    },
  },
  {
    name: "openapi-typescript",
    needs: ["npx"],
    install: () => npx("openapi-typescript", "--version"),
    make: async (place) => {
      mkdirSync(join(place.folder, "client"));
      await npx("openapi-typescript", place.document, "--output", join(place.folder, "client/openapi.ts"));
      return compiledTypeScript(place, "openapi-typescript.ts");
    },
  },
  {
    name: "openapi-generator for Go",
    needs: ["java", "mvn", "go"],
    install: GENERATOR,
    make: async (place) => {
      const out = await openapiGenerator(place, "go", "--additional-properties=packageName=faregate,withGoMod=false");
      for (const name of readdirSync(out))
        if (name === "test") renameSync(join(out, name), join(place.folder, "_test"));
      return compiledGo(place, "openapi-generator.go");
    },
  },
  {
    name: "oapi-codegen",
    needs: ["go"],
    install: () => goProgram(...OAPI_CODEGEN),
    make: async (place) => {
      mkdirSync(join(place.folder, "client"));
      const parameters = [
        "-package",
        "faregate",
        "-generate",
        "types,client",
        "-o",
        "client/client.go",
        place.document,
      ];
      await run(await goProgram(...OAPI_CODEGEN), parameters, { cwd: place.folder });
      return compiledGo(place, "oapi-codegen.go");
    },
  },
  {
    name: "openapi-generator for Java",
    needs: ["java", "javac", "mvn"],
    install: GENERATOR,
    make: async (place) => {
      const out = await openapiGenerator(place, "java", "--additional-properties=hideGenerationTimestamp=true");
      const jars = await mavenDependencies(out);
      const classes = join(place.folder, "classes");
      const main = join(PROGRAMS, "Main.java");
      const sources = ["-sourcepath", join(out, "src/main/java"), main, ...javaFilesOf(join(out, "src/main/java"))];
      await run("javac", ["-nowarn", "-proc:none", "-d", classes, "-cp", join(jars, "*"), ...sources]);
      return { program: "java", parameters: ["-cp", `${classes}:${join(jars, "*")}`, "Main"] };
    },
  },
  {
    name: "openapi-generator for PHP",
    needs: ["java", "mvn", "php"],
    install: GENERATOR,
    make: async (place) => {
      const out = await openapiGenerator(place, "php");
      const files = readdirSync(join(out, "lib"), { recursive: true, encoding: "utf8" });
      for (const file of files.filter((one) => one.endsWith(".php"))) await run("php", ["-l", join(out, "lib", file)]);
      const main = join(place.folder, "main.php");
      cpSync(join(PROGRAMS, "main.php"), main);
      return {
        program: "php",
        parameters: [main],
        env: { GUZZLE_AUTOLOAD: GUZZLE },
        ...(!existsSync(GUZZLE) && { missing: `there is no ${GUZZLE} (php-guzzlehttp-guzzle)` }),
      };
    },
  },
];

const javaFilesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".java"))
    .map((file) => join(folder, file));

/** Wants another TypeScript than this project has: npx keeps both in a folder of their own. */
function npx(program: string, ...parameters: readonly string[]) {
  const packages = ["openapi-typescript@7.13.0", "typescript@5.9.3"].flatMap((name) => ["--package", name]);
  return run("npx", ["--yes", ...packages, program, ...parameters]);
}
