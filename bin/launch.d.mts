/** Of Node, for the gateway. */
export const NODE_OPTIONS: readonly string[];
/** Of the C library, for the gateway. */
export const MALLOC: Readonly<Record<string, string>>;
