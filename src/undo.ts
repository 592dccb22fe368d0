// What was started is taken apart again in the opposite order: when it is to stop, and when a start fails half-way.

/** Undone in the opposite order. */
export type Undo = (() => Promise<unknown>)[];

/** Starts all of it or nothing. */
export async function startWhole<T>(start: (undo: Undo) => Promise<T>): Promise<T & { close(): Promise<void> }> {
  const undo: Undo = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return { ...(await start(undo)), close };
  } catch (fault) {
    await close();
    throw fault;
  }
}
