// A file without tests.

export const nothing = 0;
