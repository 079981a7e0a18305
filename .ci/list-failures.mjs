#!/usr/bin/env node
// Prints the failed tests of a Vitest JSON report: file, name and the first lines of the error.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const LINES = 12;

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
const short = (text) =>
  text
    .split("\n")
    .filter((line) => !line.includes("node_modules"))
    .slice(0, LINES)
    .join("\n");
for (const { name, assertionResults, status, message } of report.testResults) {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === "failed");
  for (const test of failed) {
    console.log(`${file} > ${test.fullName}\n${short(test.failureMessages.join("\n"))}`);
  }
  if (status === "failed" && failed.length === 0) console.log(`${file}\n${short(message)}`);
}
