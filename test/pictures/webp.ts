// A picture as WebP, as good as fits into a page of the docs. The browser makes it, so nothing else has to be installed.

import type { Browser, Page } from "playwright-core";

/** Of a picture in the docs. */
const MOST_BYTES = 120_000;
const QUALITIES = [0.86, 0.78, 0.68, 0.55];

/** @throws if it does not fit */
export async function webpOf(from: Browser, png: Buffer): Promise<Buffer> {
  const page = await from.newPage();
  try {
    for (const quality of QUALITIES) {
      const bytes = await encoded(page, png, quality);
      if (bytes.length < MOST_BYTES) return bytes;
    }
    throw new Error(`a picture is larger than ${MOST_BYTES} bytes at the lowest quality`);
  } finally {
    await page.close();
  }
}

async function encoded(page: Page, png: Buffer, quality: number): Promise<Buffer> {
  const source = `data:image/png;base64,${png.toString("base64")}`;
  const made = (await page.evaluate(`(async () => {
    const image = new Image();
    image.src = ${JSON.stringify(source)};
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", ${quality});
  })()`)) as string;
  return Buffer.from(made.slice(made.indexOf(",") + 1), "base64");
}
