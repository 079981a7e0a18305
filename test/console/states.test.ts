import { expect, test } from "vitest";
import { pageNames } from "../../console/pages/layout.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { accessibilityProblems, eachPage, noBrowser } from "./support/browser.ts";
import { longNamesHub } from "./support/console-states.ts";
import { serve } from "./support/example-console.ts";

const paths = pageNames.map(({ path }) => path);

test.skipIf(noBrowser !== undefined)(
  "When names are as long as they may be, no page should be wider than a screen, and axe should find nothing wrong",
  { ...because(noBrowser), timeout: 240_000 },
  async () => {
    const { url } = await serve(await longNamesHub());
    for (const [width, colorScheme] of [
      [390, "dark"],
      [2_560, "light"],
    ] as const) {
      const options = { viewport: { width, height: 800 }, colorScheme };
      for await (const { path, page } of eachPage(url, paths, options)) {
        const shown = Number(await page.evaluate("document.documentElement.scrollWidth"));
        const problems = await accessibilityProblems(page);
        expect({ path, width, isWider: shown > width, problems }).toEqual({
          path,
          width,
          isWider: false,
          problems: [],
        });
      }
    }
  },
);
