/** Resolves with a function that gives the lock back. `onWait` is called once if another process has it. */
export function holdLock(folder: string, onWait: () => void): Promise<() => void>;
