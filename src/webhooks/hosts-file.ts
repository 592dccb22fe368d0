// Names that need no name server: `localhost`, and what the machine's own list of hosts says (Docker writes the names of
// `extra_hosts` there).

import type { LookupAddress } from "node:dns";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";

const LOOPBACK: readonly LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** Read each time, so that a change holds at once: the file is small, and a look-up comes before it is asked for again. */
export async function namedInHosts(name: string, file = "/etc/hosts"): Promise<readonly LookupAddress[]> {
  const wanted = name.toLowerCase().replace(/\.$/, "");
  // RFC 6761, section 6.3: never asked of a name server.
  if (wanted === "localhost" || wanted.endsWith(".localhost")) return LOOPBACK;
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => addressIn(line, wanted));
}

/** hosts(5): an address, then its names; a # begins a comment. */
function addressIn(line: string, wanted: string): readonly LookupAddress[] {
  const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
  const family = isIP(address);
  return family !== 0 && names.some((one) => one.toLowerCase() === wanted) ? [{ address, family }] : [];
}
