import { runScript } from "./npm-script.ts";
import { deployStack, packageStack, removeStack } from "./package-stack.ts";
import { type StackAction, stackOptions } from "./stack-options.ts";

const actions: Readonly<Record<StackAction, (options: readonly string[]) => Promise<void>>> = {
  package: packageStack,
  deploy: deployStack,
  remove: removeStack,
};
const [action = "", ...args] = process.argv.slice(2);

await runScript(action, async () => {
  if (action !== "package" && action !== "deploy" && action !== "remove")
    throw new Error("Usage: infra/stack-command.ts package|deploy|remove [options]");
  await actions[action](stackOptions(action, args));
});
