import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { generatedPages } from "./pages.ts";

test.for(generatedPages)(
  "When $when, its page should be regenerated with npm run docs",
  async ({ path, renewed }) => {
    const page = await readFile(path, "utf8");
    expect(page).toBe(await renewed(page));
  },
);
