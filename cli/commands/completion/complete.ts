import type { Argument, Command, Option } from "commander";
import { print, safe } from "../../io/safe-text.ts";
import { knownNames, type Typed } from "./known-names.ts";

/** What may follow besides the candidates; the numbers are those of kubectl's plugins. */
const directives = { nothing: 4, files: 0, folders: 16 } as const;

type Candidate = Readonly<{ value: string; description?: string }>;
type Completion = Readonly<{ candidates: readonly Candidate[]; besides: keyof typeof directives }>;

const only = (candidates: readonly Candidate[]): Completion => ({ candidates, besides: "nothing" });

/** Where the words before the last one lead to. */
type Place = Readonly<{
  command: Command;
  /** The number of arguments so far. */
  operands: number;
  /** The option whose value comes next. */
  option: Option | undefined;
  typed: Typed;
}>;

function placeOf(program: Command, words: readonly string[]): Place {
  let command = program;
  let operands = 0;
  let option: Option | undefined;
  const typed = new Map<string, string>();
  for (const word of words) {
    if (option) {
      typed.set(option.attributeName(), word);
      option = undefined;
      continue;
    }
    if (word.startsWith("-") && word !== "-") {
      const [flag, value] = word.split(/=(.*)/s);
      const found = command.options.find(({ long, short }) => long === flag || short === flag);
      if (found && value !== undefined) typed.set(found.attributeName(), value);
      else if (found?.required) option = found;
      continue;
    }
    const below = operands === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (below) command = below;
    else operands++;
  }
  return { command, operands, option, typed: Object.fromEntries(typed) };
}

/** `of` is an option's name, or the name of an argument; the placeholder says whether it is a path. */
async function valuesOf(
  { argChoices }: Option | Argument,
  { of, placeholder, place }: Readonly<{ of: string; placeholder: string; place: Place }>,
): Promise<Completion> {
  if (argChoices) return only(argChoices.map((value) => ({ value })));
  if (placeholder === "dir") return { candidates: [], besides: "folders" };
  if (["file", "path", "old", "new"].includes(placeholder)) return { candidates: [], besides: "files" };
  const names = await knownNames(of, place.command.name(), place.typed);
  return only(names.map((value) => ({ value })));
}

function valuesOfOption(option: Option, place: Place): Promise<Completion> {
  const [, placeholder = ""] = /[<[](\w+)/.exec(option.flags) ?? [];
  return valuesOf(option, { of: option.long ?? "", placeholder, place });
}

async function completionOf(place: Place, word: string): Promise<Completion> {
  const { command, operands, option } = place;
  if (option) return valuesOfOption(option, place);
  const [, flag, value] = /^(--[\w-]+)(=.*)?$/s.exec(word) ?? [];
  if (value !== undefined) {
    const named = command.options.find(({ long }) => long === flag);
    const { candidates, besides } = named ? await valuesOfOption(named, place) : only([]);
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
  const name = argument.name();
  const { candidates, besides } = await valuesOf(argument, { of: name, placeholder: name, place });
  return { candidates: [...commands, ...candidates], besides };
}

/** Runs `hubrelay complete -- WORDS…` for the shells' scripts and kubectl: prints what the last word may become. */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const word = words.at(-1) ?? "";
  const { candidates, besides } = await completionOf(placeOf(program, words.slice(0, -1)), word);
  for (const { value, description } of candidates.filter((one) => one.value.startsWith(word)))
    print(description ? safe`${value}\t${description}\n` : safe`${value}\n`);
  print(safe`:${directives[besides]}\n`);
}
