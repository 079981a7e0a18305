#!/usr/bin/env node
// record-nightly.mjs COUNTS PAGE: writes the results of the parts in COUNTS (lines "part passed failed") into the table of PAGE.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const [, , countsFile, page] = process.argv;
const commit = execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { encoding: "utf8" }).trim();
const date = new Date().toISOString().slice(0, "2026-11-29".length);
const sums = new Map();
for (const line of readFileSync(countsFile, "utf8").trim().split("\n")) {
  const [part, passed, failed] = line.split(" ");
  const sum = sums.get(part) ?? { passed: 0, failed: 0 };
  sums.set(part, { passed: sum.passed + Number(passed), failed: sum.failed + Number(failed) });
}
const rows = readFileSync(page, "utf8")
  .split("\n")
  .map((line) => {
    const part = /^\| `([\w-]+)` \|/.exec(line)?.[1];
    const { passed, failed } = sums.get(part) ?? {};
    if (passed === undefined) return line;
    const what = line.split(" | ")[1];
    return `| \`${part}\` | ${what} | ${commit} | ${date} | ${passed} | ${failed} |`;
  });
writeFileSync(page, rows.join("\n"));
