import { CommanderError } from "commander";
import { deployStack, packageStack, removeStack } from "./package-stack.ts";
import { type StackAction, stackOptions } from "./stack-options.ts";

/*
 * `npm run package`, `npm run deploy` and `npm run remove`: runs its first argument with the options after it. Exit codes
 * are those of hubrelay: 1 for a failure, 2 for wrong options.
 */
const actions: Readonly<Record<StackAction, (options: readonly string[]) => Promise<void>>> = {
  package: packageStack,
  deploy: deployStack,
  remove: removeStack,
};
const [action, ...args] = process.argv.slice(2);

try {
  if (action !== "package" && action !== "deploy" && action !== "remove")
    throw new Error("Usage: infra/stack-command.ts package|deploy|remove [options]");
  await actions[action](stackOptions(action, args));
} catch (error) {
  const isHelp = error instanceof CommanderError && error.exitCode === 0;
  if (!isHelp) {
    const hint = error instanceof CommanderError ? `\nRun 'npm run ${action} -- --help' for usage.` : "";
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}${hint}\n`);
    process.exitCode = error instanceof CommanderError ? 2 : 1;
  }
}
