import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { openPage } from "./browser.ts";

const folder = fileURLToPath(new URL("../../../docs/pictures", import.meta.url));

/** True when the pictures of the documentation are to be drawn, by `npm run pictures`. */
export const drawsPictures = Boolean(process.env.CONSOLE_PICTURES);

/** Draws a page for the documentation, light and dark, at twice the resolution, once it is as `prepare` leaves it. */
export async function drawPicture(
  name: string,
  url: string,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await openPage(url, {
      colorScheme,
      deviceScaleFactor: 2,
      timezoneId: "Europe/Oslo",
      locale: "en-GB",
    });
    await prepare(page);
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
}
