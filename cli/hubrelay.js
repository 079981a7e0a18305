#!/usr/bin/env node
// Plain JavaScript that Node 20 and later can read. In the repository, this file runs the TypeScript sources directly, on
// the Node 24 that "npm ci" installs; in the published package, the built JavaScript, on Node 22.19 or newer.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const sources = new URL("./main.ts", import.meta.url);
const inRepository = existsSync(sources);
const main = inRepository ? sources : new URL("../dist/npm/main.js", import.meta.url);

const [major, minor] = process.versions.node.split(".").map(Number);
const [neededMajor, neededMinor] = inRepository ? [24, 0] : [22, 19];

if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) {
  module.enableCompileCache();
  if (major < 24) {
    // Suppress Node 22's warning that its SQLite, which stores the queues of `dev`, is experimental.
    const { emitWarning } = process;
    process.emitWarning = (warning, ...about) => {
      if (about[0] !== "ExperimentalWarning") emitWarning.call(process, warning, ...about);
    };
  }
  await import(main.href);
} else if (inRepository) {
  const node = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: "inherit" });
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"];
  for (const signal of signals)
    process.on(signal, () => {
      // On Ctrl-C, the terminal also signals the child. Do not send a second signal, which would end it at once.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  child.once("error", ({ message }) => {
    console.error(`hubrelay needs Node 24, which "npm ci" installs: ${message}`);
    process.exitCode = 2;
  });
  child.once("exit", (code, signal) => {
    for (const one of signals) process.removeAllListeners(one);
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code ?? 2;
  });
} else {
  console.error(
    `hubrelay needs Node ${neededMajor}.${neededMinor} or newer; this is Node ${process.versions.node}.`,
  );
  process.exitCode = 2;
}
