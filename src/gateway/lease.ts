// Work under a lease: no other node takes it until the lease has passed. It is renewed while the work lasts, so it may be
// short, and those of a dead node end soon.

export interface Lease {
  readonly ms: number;
  readonly renewEveryMs: number;
}

/** Three renewals may fail before it ends. */
export const leaseOf = (ms: number): Lease => ({ ms, renewEveryMs: ms / 4 });

/**
 * A lease that cannot be renewed ends while the work goes on, and another node begins the same: the work must be safe to do
 * twice. When this returns, no renewal is on its way.
 */
export async function underLease<T>(
  { renewEveryMs }: Lease,
  renew: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let renewing: Promise<void> | undefined;
  const renewed = () => {
    renewing = undefined;
  };
  const timer = setInterval(() => {
    renewing ??= renew().then(renewed, renewed);
  }, renewEveryMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await renewing;
  }
}
