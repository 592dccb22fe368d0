// What Grafana's dashboard asks, panel by panel, and what Prometheus answered.

export interface Series {
  readonly name: string;
  /** Seconds since 1970, and the value; without what is not a number. */
  readonly points: readonly (readonly [at: number, value: number])[];
}

export interface Panel {
  readonly title: string;
  readonly kind: "row" | "stat" | "timeseries";
  readonly unit: string;
  /** In Grafana's 24 columns, rows of 30 pixels. */
  readonly at: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly queries: readonly Query[];
  /** It shows what went wrong, and here nothing did. */
  readonly maybeEmpty: boolean;
  readonly series: readonly Series[];
}

export interface Query {
  readonly expression: string;
  /** `{{label}}` stands for a label's value. */
  readonly legend: string;
}

interface GrafanaPanel {
  readonly title: string;
  readonly type: Panel["kind"];
  readonly gridPos: Panel["at"];
  readonly fieldConfig?: { readonly defaults?: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat?: string }[];
}

/** Of which there may be none in a gateway that is well. */
const WHAT_WENT_WRONG = /outcome="declined"|answer=~"unanswered|faregate_unresolved_events/;

/** With everything chosen that can be chosen. */
export function panelsOf(dashboard: string): readonly Panel[] {
  const { panels } = JSON.parse(dashboard) as { panels: readonly GrafanaPanel[] };
  return panels.map(({ title, type, gridPos, fieldConfig, targets = [] }) => ({
    ...{ title, kind: type, at: gridPos, unit: fieldConfig?.defaults?.unit ?? "short", series: [] },
    queries: targets.map(({ expr, legendFormat = "" }) => ({ expression: chosen(expr), legend: legendFormat })),
    maybeEmpty: type === "row" || targets.some(({ expr }) => WHAT_WENT_WRONG.test(expr)),
  }));
}

const chosen = (expression: string): string =>
  expression.replace(/\$(instance|processor)/g, ".*").replaceAll("$__rate_interval", "15s");
