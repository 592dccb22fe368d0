// Waiting for another process of the gateway, which may hang.

/** Resolves when the work is done, or after so long without it. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
