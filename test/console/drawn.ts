// A QR code's path as pixels, four a module, for a reader that knows nothing of paths.

const PIXELS = 4;

/** @param path runs of dark modules, `M4 4h7v1h-7z` each */
export function drawn(path: string, modules: number) {
  const side = modules * PIXELS;
  const data = new Uint8Array(side * side * 4).fill(255);
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    for (let row = Number(y) * PIXELS; row < (Number(y) + 1) * PIXELS; row++)
      for (let column = Number(x) * PIXELS; column < (Number(x) + Number(width)) * PIXELS; column++)
        data.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3);
  return { width: side, height: side, data };
}
