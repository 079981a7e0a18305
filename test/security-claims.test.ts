import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { packageFile } from "../cli/program/package-files.ts";

const [, table = ""] = readFileSync(packageFile("SECURITY.md"), "utf8").split(
  "\n## Which tests check this\n",
);
const claims = table
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:claim|---)/.test(line))
  .map((line) => {
    const [, claim = "", kept = "", tests = ""] = line.split(" | ").join("|").split("|");
    const named = tests.split("<br>").map((one) => /^`(?<file>[^`]+)`: (?<title>.+?) ?$/.exec(one)?.groups);
    return { claim: claim.trim(), kept: kept.trim(), named };
  });

/** The titles in the source of a file: they may be in a table, with placeholders. */
const titlesIn = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

test("When SECURITY.md makes claims, there should be a table of them", () => {
  expect(claims.length).toBeGreaterThan(25);
  expect(new Set(claims.map(({ claim }) => claim)).size).toBe(claims.length);
});

test.for(claims)("When SECURITY.md claims “$claim”, it should name tests that exist", ({ kept, named }) => {
  expect(kept).not.toBe("");
  expect(named).not.toContain(undefined);
  const missing = named.filter(
    (one) =>
      !['"', "`"].some((quote) =>
        titlesIn(packageFile(one?.file ?? "")).includes(`${quote}${one?.title}${quote}`),
      ),
  );
  expect(missing).toEqual([]);
});
