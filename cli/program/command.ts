import { Command, Option } from "commander";

/** A command of the CLI, with additions to commander's class. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  addOptions(...options: readonly Option[]): this {
    for (const option of options) this.addOption(option);
    return this;
  }

  choice(flags: string, description: string, values: readonly string[], usual?: string): this {
    return this.addOption(new Option(flags, description).choices(values).default(usual));
  }

  closingHelp(text: string): this {
    return this.addHelpText("after", text);
  }

  /** Sets the function that runs the command and returns its exit code. It is loaded when the command is called. */
  runs<Arguments extends readonly unknown[]>(
    load: () => Promise<(...args: Arguments) => number | Promise<number>>,
  ): this {
    return this.action(async (...args: Arguments) => {
      const run = await load();
      process.exitCode = await run(...args);
    });
  }

  /** Like `runs`, for a command with `addPathArguments`: the paths are in the options. */
  runsWithPaths<Options>(load: () => Promise<(options: Options) => number | Promise<number>>): this {
    return this.runs(async () => {
      const run = await load();
      return (_paths: unknown, options: Options) => run(options);
    });
  }
}

/** Returns commander's error message on one line, with a hint at `--help`. */
export function usageError(text: string, command: string): string {
  const problem = text
    .replace(/^error: /, "")
    .trimEnd()
    .replace(/\.$/, "");
  const sentence = problem.replaceAll("\n", " ");
  return `${sentence}${sentence.endsWith("?") ? "" : "."} Run '${command} --help' for usage.`;
}
