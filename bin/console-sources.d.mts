export const CONSOLE_MARK: string;
export function isConsoleBuilt(): boolean;
export function consoleSources(): string;
