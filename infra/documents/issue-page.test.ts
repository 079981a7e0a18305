import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { paths } from "../paths.ts";
import { withIssueTables } from "./issue-page.ts";

test("When an issue code changes, its page should be regenerated with npm run docs", async () => {
  const page = await readFile(paths.issuePage, "utf8");
  expect(page).toBe(withIssueTables(page));
});
