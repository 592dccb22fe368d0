// The names of the settings in the environment, and what a misspelt one was meant to be.

import { editDistance } from "./edit-distance.ts";
import { FILE_NAMES } from "./environment.ts";

const OWN_PREFIX = "FAREGATE_";
export const SETTING_NAMES: readonly string[] = [
  "HOST",
  "PORT",
  "DATABASE_URL",
  "RATE_LIMIT_PER_MINUTE",
  "FAILED_AUTHENTICATIONS_PER_MINUTE",
  "TRUST_PROXY",
  "PROXY_PROTOCOL",
  "BASE_PATH",
  "PUBLIC_URL",
  "CHALLENGE_MINUTES",
  "WORKERS",
  "HEAVY_WORKER",
  "ACCESS_LOG",
  "METRICS_HOST",
  "METRICS_PORT",
  "METRICS_TOKEN",
  "TRACES_ENDPOINT",
  "TRACES_SHARE",
  "LOG_LEVEL",
  "LOG_FORMAT",
  "FAREGATE_MODE",
  "FAREGATE_DATA",
  "FAREGATE_SECRET",
  "FAREGATE_MASTER_KEY",
  "FAREGATE_MASTER_KEY_FILE",
  "FAREGATE_FENCE_FILE",
  ...FILE_NAMES,
];
/** Read by programs that talk to a gateway, and often exported in the same terminal. */
const OF_OTHERS = ["FAREGATE_SANDBOX", "FAREGATE_URL", "FAREGATE_TOKEN", "FAREGATE_OPERATOR_TOKEN"];

/** A sentence for each name that begins like ours and is none. */
export function unknownNames(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(OWN_PREFIX) && !SETTING_NAMES.includes(name) && !OF_OTHERS.includes(name))
    .map((name) => {
      const near = nearestName(name);
      return `${name} is not a setting${near === undefined ? "" : `; did you mean ${near}?`}`;
    });
}

function nearestName(name: string): string | undefined {
  const bare = name.slice(OWN_PREFIX.length);
  if (SETTING_NAMES.includes(bare)) return bare; // FAREGATE_PORT for PORT
  const ranked = SETTING_NAMES.filter((known) => known.startsWith(OWN_PREFIX))
    .map((known) => ({ known, distance: editDistance(bare, known.slice(OWN_PREFIX.length)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= 2 ? best.known : undefined;
}
