import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { securityClaims } from "../../test/claims/claims.ts";
import { paths } from "../paths.ts";
import { withClaims } from "./security-page.ts";

test("When a claim about security changes, its page should be regenerated with npm run docs", async () => {
  const page = await readFile(paths.securityPage, "utf8");
  expect(page).toBe(withClaims(page, securityClaims));
});
