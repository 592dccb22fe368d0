// SIGUSR1 opens Node's inspector on a port of this machine, and any local user who connects to it runs code in this process, with its keys
// and card numbers. Programs that are started without --disable-sigusr1 (Node 24.8 and later) ignore the signal by this listener.

process.on("SIGUSR1", () => undefined);
