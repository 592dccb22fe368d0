// Shows the reference: hands the page's document to the viewer, in the colours that the reader prefers.

const dark = matchMedia("(prefers-color-scheme: dark)");
const place = document.getElementById("reference");

const sans = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';
const mono = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';

const colours = dark.matches
  ? {
      page: "#14181d",
      raised: "#1c2229",
      line: "#2f3842",
      text: "#e3e8ee",
      quiet: "#a3afbb",
      link: "#6cb2ff",
      code: "#ffb3a6",
      success: "#4cc38a",
      warning: "#e0b040",
      error: "#ff8a80",
      panel: "#0d1014",
    }
  : {
      page: "#ffffff",
      raised: "#f6f8fa",
      line: "#dde3ea",
      text: "#1d2630",
      quiet: "#5a6672",
      link: "#0b5fb8",
      code: "#b02a1c",
      success: "#12703c",
      warning: "#8a5a00",
      error: "#b3261e",
      panel: "#1b222b",
    };

const theme = {
  breakpoints: { small: "50rem", medium: "78rem", large: "105rem" },
  spacing: { unit: 5, sectionHorizontal: 28, sectionVertical: 28 },
  colors: {
    primary: { main: colours.link },
    success: { main: colours.success },
    warning: { main: colours.warning },
    error: { main: colours.error },
    gray: { 50: colours.raised, 100: colours.line },
    text: { primary: colours.text, secondary: colours.quiet },
    border: { dark: colours.line, light: colours.line },
    responses: {
      success: { color: colours.success, backgroundColor: colours.raised, tabTextColor: "#7ee2a8" },
      error: { color: colours.error, backgroundColor: colours.raised, tabTextColor: "#ff9d94" },
      redirect: { color: colours.warning, backgroundColor: colours.raised, tabTextColor: "#f0c75e" },
      info: { color: colours.link, backgroundColor: colours.raised, tabTextColor: "#8ac2ff" },
    },
  },
  schema: {
    linesColor: colours.line,
    defaultDetailsWidth: "70%",
    typeNameColor: colours.quiet,
    typeTitleColor: colours.quiet,
    requireLabelColor: colours.error,
    nestedBackground: colours.raised,
    arrow: { color: colours.quiet },
  },
  typography: {
    fontSize: "15px",
    lineHeight: "1.55",
    fontFamily: sans,
    headings: { fontFamily: sans, fontWeight: "600" },
    code: { fontFamily: mono, fontSize: "12px", color: colours.code, backgroundColor: colours.raised, wrap: true },
    links: { color: colours.link, visited: colours.link, hover: colours.link, textDecoration: "underline" },
  },
  sidebar: {
    width: "260px",
    backgroundColor: colours.raised,
    textColor: colours.text,
    activeTextColor: colours.link,
    groupItems: { activeBackgroundColor: colours.line, activeTextColor: colours.link, textTransform: "none" },
    level1Items: { activeBackgroundColor: colours.line, activeTextColor: colours.link, textTransform: "none" },
    arrow: { color: colours.quiet },
  },
  rightPanel: {
    backgroundColor: colours.panel,
    width: "45%",
    servers: {
      overlay: { backgroundColor: colours.raised, textColor: colours.text },
      url: { backgroundColor: colours.page },
    },
  },
  codeBlock: { backgroundColor: "#10161d" },
  fab: { backgroundColor: colours.raised, color: colours.link },
};

const options = {
  theme,
  scrollYOffset: ".bar",
  nativeScrollbars: true,
  hideDownloadButton: true,
  hideHostname: true,
  // The languages first, then the body alone.
  payloadSampleIdx: 4,
  jsonSampleExpandLevel: 5,
  requiredPropsFirst: true,
  // The descriptions say it in words.
  hideSchemaPattern: true,
  maxDisplayedEnumValues: 12,
  expandResponses: "200,201",
  sortTagsAlphabetically: false,
  menuToggle: true,
};

fetch(place.dataset.document)
  .then((response) => response.json())
  .then((document) => window.Redoc.init(document, options, place));

// The viewer's colours are set once. But a page that the reader leaves is not loaded anew, which would keep them on it: Chromium can
// report a change then.
let leaving = false;
addEventListener("beforeunload", () => {
  leaving = true;
});
addEventListener("pageshow", () => {
  leaving = false;
});
dark.addEventListener("change", () => {
  if (!leaving) location.reload();
});
