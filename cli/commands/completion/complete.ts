import type { Argument, Command, Option } from "commander";
import { print, safe } from "../../io/safe-text.ts";

/** Numbers that kubectl expects of plugins. They say what a shell offers in addition to the candidates. */
const directives = { nothing: 4, files: 0, folders: 16 } as const;

type Candidate = Readonly<{ value: string; description?: string }>;
type Completion = Readonly<{ candidates: readonly Candidate[]; besides: keyof typeof directives }>;

const only = (candidates: readonly Candidate[]): Completion => ({ candidates, besides: "nothing" });

type Place = Readonly<{
  command: Command;
  operands: number;
  option: Option | undefined;
}>;

function placeOf(program: Command, words: readonly string[]): Place {
  let command = program;
  let operands = 0;
  let option: Option | undefined;
  for (const word of words) {
    if (option) {
      option = undefined;
      continue;
    }
    if (word.startsWith("-") && word !== "-") {
      const found = command.options.find(({ long, short }) => long === word || short === word);
      if (found?.required) option = found;
      continue;
    }
    const below = operands === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (below) command = below;
    else operands++;
  }
  return { command, operands, option };
}

function valuesOf({ argChoices }: Option | Argument, placeholder: string): Completion {
  if (argChoices) return only(argChoices.map((value) => ({ value })));
  if (placeholder === "dir") return { candidates: [], besides: "folders" };
  const isPath = ["file", "path", "old", "new"].includes(placeholder);
  return { candidates: [], besides: isPath ? "files" : "nothing" };
}

function valuesOfOption(option: Option): Completion {
  const [, placeholder = ""] = /[<[](\w+)/.exec(option.flags) ?? [];
  return valuesOf(option, placeholder);
}

function completionOf({ command, operands, option }: Place, word: string): Completion {
  if (option) return valuesOfOption(option);
  const [, flag, value] = /^(--[\w-]+)(=.*)?$/s.exec(word) ?? [];
  if (value !== undefined) {
    const named = command.options.find(({ long }) => long === flag);
    const { candidates, besides } = named ? valuesOfOption(named) : only([]);
    return { candidates: candidates.map((one) => ({ value: `${flag}=${one.value}` })), besides };
  }
  const help = command.createHelp();
  if (word.startsWith("-"))
    return only(
      help
        .visibleOptions(command)
        .flatMap(({ long, description }) => (long ? [{ value: long, description }] : [])),
    );
  const below = operands === 0 ? help.visibleCommands(command) : [];
  const commands = below.map((one) => ({ value: one.name(), description: one.description() }));
  const { registeredArguments: all } = command;
  const argument = all[operands] ?? all.find(({ variadic }) => variadic);
  if (!argument) return only(commands);
  const { candidates, besides } = valuesOf(argument, argument.name());
  return { candidates: [...commands, ...candidates], besides };
}

/** Runs `hubrelay complete -- WORDS…` for the shells' scripts and kubectl: prints candidates for the last word. */
export function complete(program: Command, words: readonly string[]): void {
  const word = words.at(-1) ?? "";
  const { candidates, besides } = completionOf(placeOf(program, words.slice(0, -1)), word);
  for (const { value, description } of candidates.filter((one) => one.value.startsWith(word)))
    print(description ? safe`${value}\t${description}\n` : safe`${value}\n`);
  print(safe`:${directives[besides]}\n`);
}
