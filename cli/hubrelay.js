#!/usr/bin/env node
// Plain JavaScript that Node 20 and later can read. In the repository it runs the TypeScript sources directly, on the
// Node 24 that "npm ci" installs; in the published package it runs the built JavaScript.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const sources = new URL("./main.ts", import.meta.url);
const inRepository = existsSync(sources);
const main = inRepository ? sources : new URL("../dist/npm/main.js", import.meta.url);

if (Number(process.versions.node.split(".")[0]) >= 24) {
  module.enableCompileCache();
  await import(main.href);
} else if (inRepository) {
  const node = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  const child = spawnSync(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: "inherit" });
  if (child.error) {
    console.error(`hubrelay needs Node 24, which "npm ci" installs: ${child.error.message}`);
    process.exitCode = 2;
  } else if (child.signal) process.kill(process.pid, child.signal);
  else process.exitCode = child.status ?? 2;
} else {
  console.error(`hubrelay needs Node 24 or newer; this is Node ${process.versions.node}.`);
  process.exitCode = 2;
}
