import { Command, Option } from "commander";

/** A command of hubrelay: commander's, with what all commands do alike. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Adds options that several commands have. */
  addOptions(...options: readonly Option[]): this {
    for (const option of options) this.addOption(option);
    return this;
  }

  /** Adds an option that takes one of these values, of which `usual` is the default. */
  choice(flags: string, description: string, values: readonly string[], usual?: string): this {
    return this.addOption(new Option(flags, description).choices(values).default(usual));
  }

  /** Adds what help has after the options. */
  closingHelp(text: string): this {
    return this.addHelpText("after", text);
  }

  /** Sets what runs the command: it is loaded when the command is called, and returns the exit code. */
  runs<Arguments extends readonly unknown[]>(
    load: () => Promise<(...args: Arguments) => number | Promise<number>>,
  ): this {
    return this.action(async (...args: Arguments) => {
      const run = await load();
      process.exitCode = await run(...args);
    });
  }
}
