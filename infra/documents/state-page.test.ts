import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { paths } from "../paths.ts";
import { withStates } from "./state-page.ts";

test("When a state of a cluster changes, its page should be regenerated with npm run docs", async () => {
  const page = await readFile(paths.precachingPage, "utf8");
  expect(page).toBe(withStates(page));
});
