import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { paths } from "../infra/paths.ts";
import { documentationPages } from "./support/documentation/pages.ts";

const texts = new Map((await documentationPages()).map(({ page, text }) => [page, text]));

/** Returns a page without the blocks and names that are code. */
const proseOf = (page: string) =>
  page.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "").replaceAll(/`[^`\n]*`/g, "");

/** Returns the names that a page's headings have in links, as GitHub and GitLab make them. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...page.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "").matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

type Link = Readonly<{ page: string; target: string; file: string; anchor: string | undefined }>;

const links = [...texts].flatMap(([page, text]): readonly Link[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path = "", anchor] = target.split("#");
    return { page, target, anchor, file: path === "" ? page : normalize(join(dirname(page), path)) };
  }),
);

test("When a page links to a file or folder, it should be there", () => {
  expect(links.length).toBeGreaterThan(100);
  const broken = links.filter(({ file }) => !existsSync(join(paths.root, file)));
  expect(broken.map(({ page, target }) => `${page}: ${target}`)).toEqual([]);
});

test("When a page links to a heading, its page should have it", () => {
  const broken = links.filter(
    ({ file, anchor }) => anchor !== undefined && !anchorsOf(texts.get(file) ?? "").includes(anchor),
  );
  expect(broken.map(({ page, target }) => `${page}: ${target}`)).toEqual([]);
});

test("When a page is in docs, the list of pages should link to it", () => {
  const listed = links.filter(({ page }) => page === "docs/README.md").map(({ file }) => file);
  const pages = [...texts.keys()].filter((page) => /^docs\/(?!README)/.test(page));
  expect(pages.filter((page) => !listed.includes(page))).toEqual([]);
});
