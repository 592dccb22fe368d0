// When it is loaded, uPlot asks for numbers in the browser's language, and fails where that is none: Chromium calls it `en-US@posix` where the
// system's locale is POSIX. What mends that is in no release yet: https://github.com/leeoniya/uPlot/pull/1054

try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}
