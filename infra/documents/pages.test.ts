import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { paths } from "../paths.ts";
import { generatedPages } from "./pages.ts";

test.for(generatedPages)(
  "When $when, its page should be regenerated with npm run docs",
  async ({ path, renewed }) => {
    const page = await readFile(join(paths.root, path), "utf8");
    expect(page).toBe(await renewed(page));
  },
);
