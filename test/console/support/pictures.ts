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

/**
 * Draws a page for the documentation as it is at a time, light and dark, at twice the resolution, once it is as `prepare`
 * leaves it.
 */
export async function drawPicture(
  name: string,
  url: string,
  now: Date,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await openPage("about:blank", {
      colorScheme,
      deviceScaleFactor: 2,
      timezoneId: "Europe/Oslo",
      locale: "en-GB",
    });
    await page.clock.setFixedTime(now);
    await page.goto(url);
    await prepare(page);
    await page.mouse.move(0, 0);
    const height = Number(await page.evaluate("document.documentElement.scrollHeight"));
    await page.setViewportSize({ width: 1_280, height: Math.min(maxHeight, Math.max(minHeight, height)) });
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
}
