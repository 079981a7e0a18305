import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { paths } from "../paths.ts";
import { withKinds } from "./kinds-page.ts";

test("When the definition of a kind changes, its page should be regenerated with npm run docs", async () => {
  const page = await readFile(paths.kindsPage, "utf8");
  expect(page).toBe(await withKinds(page));
});
