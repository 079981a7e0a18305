import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { openPage } from "./browser.ts";

const folder = fileURLToPath(new URL("../../../docs/pictures", import.meta.url));

/** In pixels: a whole page where that is not too long to be read. */
const minHeight = 900;
const maxHeight = 1_700;

/** True when the pictures of the documentation are to be drawn, by `npm run pictures`. */
export const drawsPictures = Boolean(process.env.CONSOLE_PICTURES);

type Area = Readonly<{ x: number; y: number; width: number; height: number }>;

/** Writes what a page shows, or an area of it, as WebP: a fifth of the bytes of PNG, which is all that Playwright writes. */
export async function writePicture(page: Page, name: string, area: Area | null = null): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: 60,
    ...(area ? { captureBeyondViewport: true, clip: { ...area, scale: 1 } } : {}),
  });
  await writeFile(join(folder, `${name}.webp`), data, "base64");
}

/** Draws a page for the documentation as it is at a time, at one and a half times the resolution. */
export async function drawPicture(
  name: string,
  url: string,
  now: Date,
  colorScheme: "light" | "dark" = "light",
): Promise<void> {
  const page = await openPage("about:blank", {
    colorScheme,
    deviceScaleFactor: 1.5,
    timezoneId: "Europe/Oslo",
    locale: "en-GB",
  });
  await page.clock.setFixedTime(now);
  await page.goto(url);
  await page.mouse.move(0, 0);
  const height = Number(await page.evaluate("document.documentElement.scrollHeight"));
  await page.setViewportSize({ width: 1_280, height: Math.min(maxHeight, Math.max(minHeight, height)) });
  await writePicture(page, `${name}-${colorScheme}`);
}
