// The launcher waits for as long as the gateway runs. By SIGUSR1 Node would open its inspector here, to which every local user can connect
// (src/debugger-signal.ts); old versions of Node have no option against it.
process.on("SIGUSR1", () => undefined);
