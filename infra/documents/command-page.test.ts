import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { paths } from "../paths.ts";
import { withCommands } from "./command-page.ts";

test("When a command or an option changes, the page of commands should be regenerated with npm run docs", async () => {
  const page = await readFile(paths.commandPage, "utf8");
  expect(page).toBe(withCommands(page));
});
