import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { packageFile } from "../cli/program/package-files.ts";
import { broken, securityClaims } from "./claims/claims.ts";

/* `npm run test:claims` shows that a test fails when a claim is broken. This finds changes that no longer apply. */

const breaks = securityClaims.flatMap((one) => one.breaks.map((change) => ({ claim: one.claim, change })));

test.for(breaks)(
  "When the code behind “$claim” is edited, the change of $change.in that breaks it should still apply",
  ({ change }) => {
    expect(broken(readFileSync(packageFile(change.in), "utf8"), change)).toContain(change.to);
  },
);

test("When claims name test files, they should exist, and each claim have its own name", () => {
  const files = securityClaims.flatMap(({ breaks: some, others }) => [
    ...some.map((one) => one.test),
    ...others,
  ]);
  expect(files.filter((file) => !existsSync(packageFile(file)))).toEqual([]);
  expect(new Set(securityClaims.map(({ claim }) => claim)).size).toBe(securityClaims.length);
});
