#!/usr/bin/env node
// Prints the skipped tests of a Vitest JSON report: file, name and reason.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const { name, assertionResults } of report.testResults) {
  for (const { status, fullName, meta } of assertionResults) {
    if (status !== "skipped" && status !== "pending") continue;
    console.log(`${relative(process.cwd(), name)} > ${fullName}: ${meta?.whySkipped ?? "no reason given"}`);
  }
}
