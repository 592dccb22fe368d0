// Images that stand in for the two of others that deploy/compose.yaml names, by the same names, made of Debian's packages where no registry of
// images can be reached: PostgreSQL and Caddy. They take the settings and folders of the real ones that compose.yaml uses.

import { chmodSync, copyFileSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { run } from "../tools.ts";
import { bootstrap, commit, isThere, write } from "./base-images.ts";
import { INIT } from "./containers.ts";

const POSTGRES = 17;
const PACKAGES = [`postgresql-${POSTGRES}`, `postgresql-client-${POSTGRES}`, "caddy", "catatonit", "ca-certificates"];
/** Names that podman looks for when compose.yaml says `postgres:18` and `caddy:2`. */
const DATABASE = "localhost/postgres:18";
const PROXY = "localhost/caddy:2";

const USERS = ["root:x:0:0:root:/root:/bin/sh", "postgres:x:999:999::/var/lib/postgresql:/bin/sh"];

/** As the real one's: a first start makes the database, and each start runs it as a user who is not root. */
const ENTRYPOINT = `#!/bin/sh
set -eu
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /run/postgresql
  chown -R postgres:postgres /var/lib/postgresql /run/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" > /tmp/password
  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256 --locale=C.UTF-8
  rm /tmp/password
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait --options="-c listen_addresses=''" start
  createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl --wait --mode=fast stop
fi
exec "$@"
`;

/** Makes what is not in the store: 60 s the first time. */
export async function makeStandIns(): Promise<void> {
  if ((await isThere(DATABASE)) && (await isThere(PROXY))) return;
  const folder = mkdtempSync(join(tmpdir(), "faregate-stand-ins-"));
  try {
    const root = join(folder, "root");
    await unpack(join(folder, "fetched"), root);
    const [init = ""] = globSync("usr/{bin,libexec/podman}/catatonit", { cwd: root });
    copyFileSync(join(root, init), INIT);
    chmodSync(INIT, 0o755);
    write(root, "etc/passwd", `${USERS.join("\n")}\n`);
    write(root, "etc/group", "root:x:0:\npostgres:x:999:\n");
    write(root, "usr/local/bin/database", ENTRYPOINT);
    chmodSync(join(root, "usr/local/bin/database"), 0o755);
    rmSync(join(root, "var/run"), { recursive: true, force: true });
    symlinkSync("../run", join(root, "var/run"));
    mkdirSync(join(root, "tmp"), { recursive: true });
    chmodSync(join(root, "tmp"), 0o1777);
    await commit(root, "amd64", DATABASE, [
      ...["--entrypoint", '["database"]', "--cmd", "postgres -c listen_addresses=*", "--stop-signal", "SIGINT"],
      ...["--env", `PATH=/usr/lib/postgresql/${POSTGRES}/bin:/usr/local/bin:/usr/bin:/bin`],
      ...["--env", `PGDATA=/var/lib/postgresql/${POSTGRES}/docker`, "--volume", "/var/lib/postgresql"],
    ]);
    await commit(root, "amd64", PROXY, [
      ...["--cmd", "caddy run --config /etc/caddy/Caddyfile --adapter caddyfile"],
      ...["--env", "PATH=/usr/bin:/bin", "--env", "XDG_CONFIG_HOME=/config", "--env", "XDG_DATA_HOME=/data"],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every package, unconfigured: nothing of it starts a server here. */
async function unpack(fetched: string, root: string): Promise<void> {
  await bootstrap("amd64", PACKAGES, fetched, "--download-only");
  const archives = globSync("var/cache/apt/archives/*.deb", { cwd: fetched }).sort();
  // It has the links from /bin to /usr/bin, which are there before what others put into them.
  const first = archives.filter((name) => basename(name).startsWith("base-files_"));
  mkdirSync(root);
  for (const archive of [...first, ...archives.filter((name) => !first.includes(name))])
    await run("dpkg-deb", ["--extract", join(fetched, archive), root]);
}
