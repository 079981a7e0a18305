import { Command, Option } from "commander";

/** A command of commander with the behaviour that all commands of hubrelay share. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Adds options that several commands have. */
  addOptions(...options: readonly Option[]): this {
    for (const option of options) this.addOption(option);
    return this;
  }

  /** Adds an option with a fixed list of values; `usual` is the default. */
  choice(flags: string, description: string, values: readonly string[], usual?: string): this {
    return this.addOption(new Option(flags, description).choices(values).default(usual));
  }

  /** Adds a text after the options in help. */
  closingHelp(text: string): this {
    return this.addHelpText("after", text);
  }

  /** Sets the implementation, which is loaded when the command is called and returns the exit code. */
  runs<Arguments extends readonly unknown[]>(
    load: () => Promise<(...args: Arguments) => number | Promise<number>>,
  ): this {
    return this.action(async (...args: Arguments) => {
      const run = await load();
      process.exitCode = await run(...args);
    });
  }

  /** Sets the implementation of a command with `addPathArguments`: the options include the paths. */
  runsWithPaths<Options>(load: () => Promise<(options: Options) => number | Promise<number>>): this {
    return this.runs(async () => {
      const run = await load();
      return (_paths: unknown, options: Options) => run(options);
    });
  }
}

/** Returns commander's error message as one line, which ends with a hint at the command's `--help`. */
export function usageError(text: string, command: string): string {
  const problem = text
    .replace(/^error: /, "")
    .trimEnd()
    .replace(/\.$/, "");
  const sentence = problem.replaceAll("\n", " ");
  return `${sentence}${sentence.endsWith("?") ? "" : "."} Run '${command} --help' for usage.`;
}
