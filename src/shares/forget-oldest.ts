// Bounds what is remembered by name. A Map and a Set keep the order in which names were added, so the first is the oldest.

interface Remembered<Name> {
  readonly size: number;
  keys(): Iterable<Name>;
}

/** Which one has to go where there are more than so many; undefined: none. */
export function oldestBeyond<Name>(remembered: Remembered<Name>, most: number): Name | undefined {
  // Looked for only where it is needed: whatever was deleted before it is walked over.
  if (remembered.size <= most) return undefined;
  const [oldest] = remembered.keys();
  return oldest;
}

/** To be called after each that is added. */
export function forgetOldest<Name>(remembered: Remembered<Name> & { delete(name: Name): boolean }, most: number): void {
  const oldest = oldestBeyond(remembered, most);
  if (oldest !== undefined) remembered.delete(oldest);
}
