import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { pageNames } from "../../console/pages/layout.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { accessibilityProblems, eachPage, noBrowser, openPage } from "./support/browser.ts";
import { exampleHub, putControlPlane, putFleet, records, serve } from "./support/example-console.ts";

const it = test.skipIf(noBrowser !== undefined);
const image = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;
/** Each page with as much on it as it can have. */
const addresses = [
  "/",
  "/precaching?cluster=bergen-2",
  "/windows",
  `/mirrors?image=${image}&source=ImageDigestMirrorSet/storage-team`,
  "/hosted?cluster=clusters/billing",
];
const schemes = ["light", "dark"] as const;

async function served(now?: () => Date) {
  const hub = await exampleHub();
  putFleet(hub);
  putControlPlane(hub, { imageContentSources: [] });
  return (await serve(hub, now)).url;
}

const emptyHub = async () => (await serve(memoryHub({ id: "urn:empty", now: () => new Date() }))).url;

it.for(
  schemes.flatMap((scheme) => [
    { scheme, hub: "a full hub", open: served, paths: addresses },
    { scheme, hub: "an empty hub", open: emptyHub, paths: pageNames.map(({ path }) => path) },
  ]),
)(
  "When pages of $hub are $scheme, axe should find nothing wrong with any",
  because(noBrowser),
  async ({ scheme: colorScheme, open, paths }) => {
    const url = await open();
    for await (const { path, page } of eachPage(url, paths, { colorScheme }))
      expect({ path, problems: await accessibilityProblems(page) }).toEqual({ path, problems: [] });
  },
);

it(
  "When the viewer is in another zone, times should be local with weekday and date, or relative, and UTC on hover",
  because(noBrowser),
  async () => {
    const options = { timezoneId: "America/New_York", locale: "en-US" };
    const hub = await exampleHub();
    putFleet(hub, {
      ...records,
      "bergen-2": { ...records["bergen-2"], since: new Date().toISOString() },
    });
    const { url } = await serve(hub);
    const shown = async (path: string) => {
      const page = await openPage(url + path, options);
      const times = await page.locator("time").all();
      return Promise.all(
        times.map(async (time) => [await time.textContent(), await time.getAttribute("title")] as const),
      );
    };
    const [windows, story] = [await shown("/windows"), await shown("/precaching?cluster=bergen-2")];
    const local = /^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat), [A-Z][a-z]{2} \d+, \d\d:\d\d [AP]M$/;
    const utc = /\w{3} \d{4}-\d\d-\d\d \d\d:\d\d UTC/;
    expect(windows.filter(([text]) => local.test(text ?? "")).length).toBeGreaterThan(0);
    expect(story.filter(([text]) => /^\d+[smh] ago$/.test(text ?? "")).length).toBeGreaterThan(0);
    for (const [text, title] of [...windows, ...story]) {
      expect(text).toMatch(/ ago$|^\w{3}, /);
      expect(title).toMatch(utc);
    }
  },
);

it(
  "When a screen is wide, no paragraph should have lines that are hard to read",
  because(noBrowser),
  async () => {
    const url = await served();
    const viewport = { width: 2_560, height: 800 };
    for await (const { path, page } of eachPage(url, addresses, { viewport })) {
      const wide =
        await page.evaluate(`[...document.querySelectorAll("main :is(p:not(.hr-verdict), td > div, dd)")]
        .filter((one) => one.getBoundingClientRect().width > 800).map((one) => one.textContent)`);
      expect({ path, wide }).toEqual({ path, wide: [] });
    }
  },
);

it(
  "When a long text is unfolded, it should stay open while the page follows the hub",
  because(noBrowser),
  async () => {
    const hub = await exampleHub();
    putFleet(hub);
    const { url } = await serve(hub);
    const page = await openPage(url);
    const more = page.locator("#attention details").first();
    await more.locator("summary").click();
    putFleet(hub, { ...records, "bergen-1": { ...records["bergen-2"] } });
    await page.getByRole("link", { name: "2 × PullFailed" }).waitFor();
    expect(await more.getAttribute("open")).toBe("");
  },
);

it.for([360, 2_560])(
  "When a screen is %i pixels wide, no page should be wider",
  because(noBrowser),
  async (width) => {
    const url = await served();
    const viewport = { width, height: 800 };
    for await (const { path, page } of eachPage(url, addresses, { viewport })) {
      const shown = await page.evaluate("document.documentElement.scrollWidth");
      expect({ path, isWider: Number(shown) > width }).toEqual({ path, isWider: false });
    }
  },
);

it(
  "When there is only a keyboard, it should reach a cluster's story, close it, and change the theme",
  because(noBrowser),
  async () => {
    const page = await openPage(`${await served()}/precaching`);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    const tabUntil = async (name: string) => {
      for (let presses = 0; presses < 40; presses++) {
        await page.keyboard.press("Tab");
        if (
          (await page.evaluate(
            "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent",
          )) === name
        )
          return;
      }
      throw new Error(`the keyboard does not reach ${name}`);
    };
    await tabUntil("bergen-1: done");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "bergen-2" }).waitFor();
    await tabUntil("Close");
    await page.keyboard.press("Enter");
    await page.getByRole("complementary").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Dark" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Light" }).waitFor();
    await page.reload();
    expect(await page.locator("html.pf-v6-theme-dark").count()).toBe(1);
  },
);

it("When there is only a keyboard, arrows should lead through the grid", because(noBrowser), async () => {
  // At noon, since tromso-1 is inside its window at night.
  const page = await openPage(`${await served(() => new Date("2026-03-01T12:00:00Z"))}/precaching`);
  const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
  await page.getByRole("link", { name: "bergen-1: done" }).focus();
  for (const [key, name] of [
    ["ArrowRight", "bergen-2: failed"],
    ["ArrowRight", "oslo-1: pulling"],
    ["End", "oslo-2: offline"],
    ["ArrowDown", "tromso-1: outside its window"],
    ["ArrowUp", "oslo-1: pulling"],
    ["ArrowLeft", "bergen-2: failed"],
    ["Home", "bergen-1: done"],
  ] as const) {
    await page.keyboard.press(key);
    expect({ key, name: await focused() }).toEqual({ key, name });
  }
  // The grid is one stop: a tab leaves it, and the way back is to the cell that was left.
  await page.keyboard.press("ArrowRight");
  const isInGrid = () => page.evaluate("document.activeElement.matches('.hr-cell')");
  for (const key of ["Tab", "Shift+Tab"]) {
    await page.keyboard.press(key);
    const name = await focused();
    expect({ key, isInGrid: await isInGrid(), name }).toMatchObject(
      key === "Tab" ? { key, isInGrid: false } : { key, isInGrid: true, name: "bergen-2: failed" },
    );
  }
});

it(
  "When a screen is narrow, the navigation should be a menu, and links and buttons at least 44 pixels high",
  because(noBrowser),
  async () => {
    const url = await served();
    const viewport = { width: 390, height: 844 };
    const page = await openPage(url, { viewport, javaScriptEnabled: false });
    await page.getByRole("button", { name: "Overview" }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Windows" }).click();
    await page.getByRole("heading", { name: "Windows" }).waitFor();
    const targets =
      "header :is(a, button, input), .hr-cell, .hr-row a, .hr-table a, .hr-main :is(button, summary)";
    for await (const { path, page: narrow } of eachPage(url, addresses, { viewport })) {
      const low = await narrow.evaluate(`[...document.querySelectorAll("${targets}")]
        .map((one) => [one.textContent, one.getBoundingClientRect().height])
        .filter(([, height]) => height > 0 && height < 44)`);
      expect({ path, low }).toEqual({ path, low: [] });
    }
  },
);

it("When a person wants less motion, nothing on a page should move", because(noBrowser), async () => {
  const url = await served();
  for await (const { path, page } of eachPage(url, addresses, { reducedMotion: "reduce" })) {
    const moving = await page.evaluate(`[...document.querySelectorAll("*")]
      .filter((one) => {
        const { animationName, transitionDuration } = getComputedStyle(one);
        return animationName !== "none" || Number.parseFloat(transitionDuration) > 0;
      })
      .map(({ tagName, className }) => tagName + " " + className)`);
    expect(moving, path).toEqual([]);
  }
});

it("When a browser runs no scripts, every page should still be complete", because(noBrowser), async () => {
  const page = await openPage(`${await served()}/mirrors`, { javaScriptEnabled: false });
  await page.getByLabel("Where does this image come from?").fill(image);
  await page.getByRole("search", { name: "The image" }).getByRole("button", { name: "Show" }).click();
  await page.getByText("tried").first().waitFor();
});
