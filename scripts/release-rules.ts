// When a version may be released. Asks nobody: it is given what git and the changelog say.

export interface Release {
  readonly version: string;
  /** In package.json. */
  readonly current: string;
  readonly changelog: string;
  /** `git status --porcelain` */
  readonly status: string;
  readonly tags: readonly string[];
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/** All that stands in the way, in words; none if it may be released. */
export function obstaclesTo({ version, current, changelog, status, tags }: Release): string[] {
  if (!VERSION.test(version)) return [`${version || "no version"} is not of the form 1.2.3 (Semantic Versioning)`];
  const heading = new RegExp(`^## \\[${version.replaceAll(".", "\\.")}\\] - \\d{4}-\\d\\d-\\d\\d$`, "m");
  return [
    ...(isOlder(version, current) ? [`${version} is older than ${current} in package.json`] : []),
    ...(tags.includes(`v${version}`) ? [`the tag v${version} is there already`] : []),
    ...(status.trim() === "" ? [] : [`the tree is not clean:\n${status.trimEnd()}`]),
    ...(heading.test(changelog) ? [] : [`CHANGELOG.md has no heading: ## [${version}] - YYYY-MM-DD`]),
  ];
}

/** What the changelog says of a version that it has, and its date, `2026-12-01`. */
export function changesOf(version: string, changelog: string): { readonly date: string; readonly changes: string } {
  const [, after = ""] = `\n${changelog}`.split(`\n## [${version}] - `);
  const [heading = "", ...lines] = after.split("\n");
  const end = lines.findIndex((line) => line.startsWith("## ["));
  return {
    date: heading.trim(),
    changes: lines
      .slice(0, end < 0 ? lines.length : end)
      .join("\n")
      .trim(),
  };
}

function isOlder(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => (VERSION.exec(text) ?? []).slice(1).map(Number));
  for (let place = 0; place < 3; place++) {
    const difference = (left?.[place] ?? 0) - (right?.[place] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
