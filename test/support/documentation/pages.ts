import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { paths } from "../../../infra/paths.ts";

export type Page = Readonly<{ page: string; text: string }>;

/** Returns every page that people read, by its path in the repository. */
export async function documentationPages(): Promise<readonly Page[]> {
  const found = glob("{*,{docs,contributing,examples,infra,test,bench}/**/*}.md", {
    cwd: paths.root,
    exclude: ["**/node_modules"],
  });
  const pages = (await Array.fromAsync(found)).sort();
  return Promise.all(
    pages.map(async (page) => ({ page, text: await readFile(join(paths.root, page), "utf8") })),
  );
}
