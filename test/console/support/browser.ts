import { existsSync } from "node:fs";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, expect, onTestFinished } from "vitest";

const program = "/usr/bin/chromium";

/** Why no browser can be started here. */
export const noBrowser = existsSync(program)
  ? undefined
  : `${program} does not exist; .ci/install-console.sh installs it`;

let browser: Promise<Browser> | undefined;
afterAll(async () => {
  await (await browser)?.close();
  browser = undefined;
});

/** Opens a page as a person would. The test fails for an error in it, and for whatever its policy has blocked. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  // A container's root may not use Chromium's sandbox.
  browser ??= chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
  const context = await (await browser).newContext({ viewport: { width: 1_280, height: 900 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (message) => {
    if (/Content.Security.Policy/i.test(message.text())) problems.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  await page.goto(url);
  return page;
}

/** Opens pages of a console one after the other: an open page follows the hub. */
export async function* eachPage(
  url: string,
  paths: readonly string[],
  options: BrowserContextOptions = {},
): AsyncGenerator<Readonly<{ path: string; page: Page }>> {
  for (const path of paths) {
    const page = await openPage(url + path, options);
    yield { path, page };
    await page.context().close();
  }
}

/** Returns what axe finds wrong with a page, with the elements. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // No page has frames, for which axe would open an empty page each time, and only violations are read.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
  const { violations } = await axe.analyze();
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 3)
        .map(({ html }) => html.slice(0, 120))
        .join(" | ")}`,
  );
}
