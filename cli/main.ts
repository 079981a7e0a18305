import { runCommand } from "./commands/run-command.ts";

await runCommand();
