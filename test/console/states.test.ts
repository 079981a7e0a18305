import { expect, test } from "vitest";
import { pageNames } from "../../console/pages/layout.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { accessibilityProblems, eachPage, noBrowser } from "./support/browser.ts";
import { type ConsoleHub, largeHub, longNamesHub } from "./support/console-states.ts";
import { serve } from "./support/example-console.ts";

const states: Readonly<Record<string, () => Promise<ConsoleHub>>> = {
  "3,500 clusters": largeHub,
  "the longest names": longNamesHub,
};
const paths = pageNames.map(({ path }) => path);

test.skipIf(noBrowser !== undefined).for(Object.entries(states))(
  "When there are %s, no page should be wider than a screen, and axe should find nothing wrong",
  { ...because(noBrowser), timeout: 240_000 },
  async ([, hub]) => {
    const { url } = await serve(await hub());
    for (const [width, colorScheme] of [
      [390, "dark"],
      [2_560, "light"],
    ] as const) {
      const options = { viewport: { width, height: 800 }, colorScheme };
      for await (const { path, page } of eachPage(url, paths, options)) {
        const shown = Number(await page.evaluate("document.documentElement.scrollWidth"));
        // Each of thousands of cells is as the first ones are.
        await page.evaluate(
          "document.querySelectorAll('.hr-site:nth-child(n + 6)').forEach((one) => one.remove())",
        );
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
