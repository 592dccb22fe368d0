// A JSON value as JavaScript, Python and PHP write it.

type Language = "javascript" | "python" | "php";

interface Notation {
  readonly words: Readonly<Record<"true" | "false" | "null", string>>;
  readonly object: readonly [open: string, close: string];
  readonly name: (name: string) => string;
  readonly text: (text: string) => string;
}

/** Of one level. */
export const INDENTS: Readonly<Record<Language, string>> = { javascript: "  ", python: "    ", php: "    " };

const same = { true: "true", false: "false", null: "null" };
const IDENTIFIER = /^[A-Za-z_]\w*$/;
/** In PHP's double quotes a dollar sign would begin a variable. */
const phpText = (text: string): string => JSON.stringify(text).replaceAll("$", "\\$");

const NOTATIONS: Readonly<Record<Language, Notation>> = {
  javascript: {
    words: same,
    object: ["{", "}"],
    name: (name) => `${IDENTIFIER.test(name) ? name : JSON.stringify(name)}: `,
    text: JSON.stringify,
  },
  python: {
    words: { true: "True", false: "False", null: "None" },
    object: ["{", "}"],
    name: (name) => `${JSON.stringify(name)}: `,
    text: JSON.stringify,
  },
  php: { words: same, object: ["[", "]"], name: (name) => `${phpText(name)} => `, text: phpText },
};

/**
 * Each member on a line of its own, with a comma behind it.
 * @param depth how many levels the line is indented on which the value begins
 */
export function literal(value: unknown, language: Language, depth = 0): string {
  const { words, object, name, text } = NOTATIONS[language];
  const members = (all: readonly string[], [open, close]: readonly [string, string]): string => {
    if (all.length === 0) return open + close;
    const inner = all.map((one) => `${INDENTS[language].repeat(depth + 1)}${one},\n`).join("");
    return `${open}\n${inner}${INDENTS[language].repeat(depth)}${close}`;
  };
  const inside = (one: unknown) => literal(one, language, depth + 1);
  if (Array.isArray(value)) return members(value.map(inside), ["[", "]"]);
  if (typeof value === "object" && value !== null)
    return members(
      Object.entries(value).map(([key, one]) => name(key) + inside(one)),
      object,
    );
  if (typeof value === "string") return text(value);
  return words[String(value) as keyof typeof words] ?? String(value);
}
