#!/usr/bin/env node
// Plain JavaScript that any Node from 20 on can read: finds Node 24, which runs the TypeScript sources as they are.
import { spawnSync } from "node:child_process";
import module from "node:module";
import { fileURLToPath } from "node:url";

const main = new URL("./main.ts", import.meta.url);

if (Number(process.versions.node.split(".")[0]) >= 24) {
  module.enableCompileCache();
  await import(main.href);
} else {
  const node = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  const child = spawnSync(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: "inherit" });
  if (child.error) {
    console.error(`hubrelay needs Node 24, which "npm ci" installs: ${child.error.message}`);
    process.exitCode = 2;
  } else if (child.signal) process.kill(process.pid, child.signal);
  else process.exitCode = child.status ?? 2;
}
