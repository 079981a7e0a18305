import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { paths } from "../../infra/paths.ts";
import { succeeded } from "../../infra/run-program.ts";
import { installedTool } from "../../infra/tool-folder.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { hubrelay } from "../system/cli-in-process.ts";
import { accessibilityProblems, noBrowser, openPage } from "./support/browser.ts";
import { drawsPictures, writePicture } from "./support/pictures.ts";

/* The comment of a pull request as a person sees it: rendered as GitHub renders Markdown, with its style. */

const sides = ["examples/hub", "examples/fleet"];
const diff = ["diff", ...sides, "-o", "markdown", "--now", "2026-03-02T09:00:00Z"];
const backgrounds = { light: "#ffffff", dark: "#0d1117" } as const;
const themes = ["light", "dark"] as const;

async function openComment(theme: (typeof themes)[number]): Promise<Page> {
  const folder = await installedTool("markdown", console.log);
  const { stdout } = await hubrelay(diff, { cwd: paths.root });
  const marked = join(folder, "node_modules/.bin/marked");
  const html = await succeeded(marked, ["--gfm"], { cwd: folder, input: stdout });
  const css = await readFile(
    join(folder, `node_modules/github-markdown-css/github-markdown-${theme}.css`),
    "utf8",
  );
  const page = await openPage("about:blank", { viewport: { width: 860, height: 400 } });
  await page.setContent(
    `<!doctype html><html lang="en"><title>Comment</title><style>${css}
    body { margin: 0; background: ${backgrounds[theme]}; color: gray }
    .markdown-body { padding: 16px; font-size: 14px }</style>
    <main><h1>A pull request</h1><h2>Its comment</h2><article class="markdown-body">${html.stdout}</article></main></html>`,
  );
  return page;
}

describe.for(themes)("the comment of a pull request, %s", (theme) => {
  test.skipIf(noBrowser)(
    "When it is rendered, it should be readable, and show nothing of its Markdown",
    because(noBrowser),
    async () => {
      const page = await openComment(theme);
      await page
        .getByRole("heading", {
          name: "🔴 hubrelay: images are let in that were refused · nodes: 🟡 drain",
        })
        .waitFor();
      const folded = page.getByText("9 changes", { exact: true });
      expect(await page.getByRole("table").isVisible()).toBe(false);
      await folded.click();
      expect(await page.getByRole("row").count()).toBe(10);
      await page.getByText("Changed lines").click();
      const text = await page.getByRole("article").innerText();
      expect(text).not.toMatch(/\*\*|^#|&#\d+;|```|<\/?[a-z]/m);
      const wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate(wider)).toBe(0);
      expect(await accessibilityProblems(page)).toEqual([]);
    },
  );
});

test.skipIf(noBrowser !== undefined || !drawsPictures)(
  "The comment of a pull request should be drawn for the documentation",
  because(noBrowser ?? "npm run pictures draws it"),
  async () => {
    const page = await openComment("light");
    await writePicture(page, "pull-request-light", await page.getByRole("article").boundingBox());
  },
);
