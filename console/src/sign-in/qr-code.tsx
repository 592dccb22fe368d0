// A text as a QR code: dark on light in both colour schemes, since not every camera reads the reverse.

import { modulesOf } from "./qr-modules.ts";

interface QrCodeProps {
  readonly text: string;
  readonly sidePx: number;
}

export function QrCode({ text, sidePx }: QrCodeProps) {
  const { size, path } = modulesOf(text);
  return (
    <svg
      role="img"
      aria-label="QR code of the key"
      viewBox={`0 0 ${size} ${size}`}
      width={sidePx}
      height={sidePx}
      shapeRendering="crispEdges"
      style={{ alignSelf: "center", borderRadius: 10 }}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#111318" />
    </svg>
  );
}
