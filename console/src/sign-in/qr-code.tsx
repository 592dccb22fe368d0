// A text as a QR code: dark on light in both colour schemes, since not every camera reads the reverse.

import { modulesOf } from "./qr-modules.ts";

export function QrCode({ text }: { readonly text: string }) {
  const { size, path } = modulesOf(text);
  return (
    <svg
      role="img"
      aria-label="QR code of the key"
      viewBox={`0 0 ${size} ${size}`}
      width={208}
      height={208}
      shapeRendering="crispEdges"
      style={{ alignSelf: "center", borderRadius: 10 }}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#111318" />
    </svg>
  );
}
