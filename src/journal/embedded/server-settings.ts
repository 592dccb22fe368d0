// The embedded server's settings: fast with safety, sized by the machine it runs on. Whatever a statement carries
// (it could be card data) stays out of its log.

export type Machine = {
  /** What this machine, or this container, has. */
  readonly memoryBytes: number;
  /** What of it is not in use now. */
  readonly availableMemoryBytes: number;
  readonly freeDiskBytes: number;
};

const MiB = 2 ** 20;
const GiB = 2 ** 30;

export function serverSettings(machine: Machine): Readonly<Record<string, string>> {
  return {
    listen_addresses: "", // never TCP
    unix_socket_permissions: "0700",
    max_connections: "100",

    // A fifth of the memory, and no more than half of what is free: other processes live here too.
    shared_buffers: megabytes(Math.min(machine.memoryBytes / 5, machine.availableMemoryBytes / 2), 16 * MiB, 4 * GiB),
    effective_cache_size: megabytes(machine.memoryBytes / 2, 64 * MiB, 64 * GiB),
    max_wal_size: megabytes(machine.freeDiskBytes / 8, 128 * MiB, 8 * GiB),
    // So much of the log is written again in place instead of being removed. A commit into a new file also has to find a place for
    // it on the disk: it takes four times the system's CPU time, and twice as long.
    min_wal_size: megabytes(machine.freeDiskBytes / 64, 80 * MiB, 1 * GiB),
    checkpoint_timeout: "15min",
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    wal_compression: "on",
    // Filling each new file of the log with zeros stops every commit for 20 to 60 ms, one file after the other.
    wal_init_zero: "off",
    random_page_cost: "1.1",
    jit: "off",
    timezone: "UTC",

    log_timezone: "UTC",
    log_min_messages: "warning",
    log_error_verbosity: "terse", // the details of an error quote rows
    log_min_error_statement: "panic",
    log_parameter_max_length: "0",
    log_parameter_max_length_on_error: "0",
  };
}

function megabytes(bytes: number, least: number, most: number): string {
  return `${Math.floor(Math.min(Math.max(bytes, least), most) / MiB)}MB`;
}
