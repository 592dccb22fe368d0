// The few icons of the console: lines on a grid of 20. They say nothing that is not written beside them or in a label.

const LINES = {
  transactions: "M3 6h14M3 10h14M3 14h9",
  card: "M2.5 5h15v10h-15zM2.5 8.5h15M5 12h3",
  batches: "M10 3l7 3.5-7 3.5-7-3.5L10 3zM3 10l7 3.5 7-3.5M3 13.5L10 17l7-3.5",
  ledger: "M5 3h10v14H5zM8 7h4M8 10h4M8 13h2",
  bench: "M8 3v5l-4.5 7.5A1 1 0 0 0 4.4 17h11.2a1 1 0 0 0 .9-1.5L12 8V3M7 3h6M6 13h8",
  overview: "M3 17V9M8 17V4M13 17v-6M18 17H2",
  processors: "M3 6h14v8H3zM3 9h14M6 12h3",
  plans: "M3.5 5h13v11.5h-13zM3.5 8.5h13M7 3v3M13 3v3M7 12.5l2 2 4-4",
  disputes: "M10 3v14M6 17h8M4 6h12M4 6l-2 5a2.3 2.3 0 0 0 4.5 0L4 6zM16 6l-2.5 5a2.3 2.3 0 0 0 4.5 0L16 6z",
  people:
    "M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 16.5a5.5 5.5 0 0 1 11 0M13 3.8a3 3 0 0 1 0 5.4M15 11.6a5.5 5.5 0 0 1 3 4.9",
  merchants:
    "M3 8l1.2-4.5h11.6L17 8M3 8a2.3 2.3 0 0 0 4.6 0 2.3 2.3 0 0 0 4.7 0A2.3 2.3 0 0 0 17 8M4.5 10.5V17h11v-6.5",
  audit: "M5 3h7l3 3v11H5zM12 3v3h3M8 10h4M8 13h4",
  routing: "M3 10h4l4-5h6M7 10l4 5h6M14.5 2.5L17 5l-2.5 2.5M14.5 12.5L17 15l-2.5 2.5",
  shield: "M10 2.5l6 2.5v5c0 3.5-2.5 6-6 7.5-3.5-1.5-6-4-6-7.5V5z",
  key: "M12.5 10a3.5 3.5 0 1 0-3.2-2L3 14.3V17h2.7v-2H8v-2.3l2-2z",
  webhooks: "M7 12.5l3-5.5a2.5 2.5 0 1 1 2-.5M10 7l3.2 5.5a2.5 2.5 0 1 1-1 3M6.5 15a2.5 2.5 0 1 1 1.5-2.5h5",
  search: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.5 13.5L17 17",
  sun: "M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1",
  moon: "M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5z",
  person: "M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3.5 17a6.5 6.5 0 0 1 13 0",
  leave: "M12 3H4v14h8M8.5 10H18M15 6.5l3.5 3.5-3.5 3.5",
  clock: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.5 2",
  filter: "M3 4h14l-5.5 7v5l-3 1.5V11L3 4z",
  download: "M10 3v9M6 8.5l4 4 4-4M3 16.5h14",
  check: "M4 10.5l4 4 8-9",
  cross: "M5 5l10 10M15 5L5 15",
  minus: "M5 10h10",
  copy: "M7 7h10v10H7zM4 13H3V3h10v1",
  back: "M12 4l-6 6 6 6",
  plane: "M2 11.5l16-6-3 11-4.5-3.5L8 16l-.5-4z",
  question: "M7.5 7.5a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .9-1 1.7M10 14.5v.1M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16z",
} as const;

export type IconName = keyof typeof LINES;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={LINES[name]} />
    </svg>
  );
}
