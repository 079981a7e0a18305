import type { Command, Option } from "commander";
import { program } from "../../cli/commands/all-commands.ts";
import { withGeneratedPart } from "./generated-part.ts";

/** A width at which commander breaks no line. */
const unbroken = 10_000;

const plain = (text: string) => text.replaceAll("<", "&lt;");
const code = (text: string) => `\`${text}\``;

/** Returns what follows the options in `--help`: sentences, and what is typed, which is indented there. */
function closingOf(command: Command): string {
  let help = "";
  command.configureOutput({
    writeOut: (part) => {
      help += part;
    },
  });
  command.outputHelp();
  const closing = help.slice(command.helpInformation().length).trim();
  return closing
    .replaceAll(/(?:^ {2}.*$\n?)+/gm, (typed) => {
      const lines = typed.trimEnd().replaceAll(/^ {2}/gm, "");
      return `\n\`\`\`sh\n${lines}\n\`\`\`\n\n`;
    })
    .replaceAll(/\n{3,}/g, "\n\n");
}

function meaningOf(option: Option): string {
  const { description, argChoices, defaultValue, defaultValueDescription, envVar, mandatory } = option;
  const defaultText =
    defaultValueDescription ?? (typeof defaultValue === "boolean" ? undefined : defaultValue);
  const notes = [
    ...(mandatory ? ["required"] : []),
    ...(argChoices ? [`one of ${argChoices.map(code).join(", ")}`] : []),
    ...(defaultText === undefined ? [] : [`default: ${code(String(defaultText))}`]),
    ...(envVar ? [`else the variable ${code(envVar)}`] : []),
  ];
  return [plain(description), ...notes].join("; ");
}

/** Returns what is typed to run a command: `hubrelay precache plan`. */
export const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** The fewest commands that have an option in the same words for it to be among those of several commands. */
const minCommands = 3;

type Row = readonly [string, string];

const optionList = (rows: readonly Row[]) =>
  rows.map(([name, meaning]) => `- ${name}: ${meaning}`).join("\n");

const optionRows = (command: Command): readonly Row[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== "--help")
    .map((option) => [code(option.flags), meaningOf(option)]);

/** Returns the options that several commands have in the same words. */
function sharedOptions(commands: readonly Command[]): readonly Row[] {
  const rows = Map.groupBy(commands.flatMap(optionRows), ([flags, meaning]) => `${flags} ${meaning}`);
  return [...rows.values()].flatMap(([row, ...others]) =>
    row && others.length + 1 >= minCommands ? [row] : [],
  );
}

function sectionOf(command: Command, shared: readonly Row[]): string {
  const help = command.createHelp();
  help.helpWidth = unbroken;
  const isShared = ([flags, meaning]: Row) => shared.some((row) => row[0] === flags && row[1] === meaning);
  const options = optionRows(command);
  const rows: readonly Row[] = [
    ...help
      .visibleArguments(command)
      .map((argument): Row => [code(argument.name()), plain(argument.description)]),
    ...options.filter((row) => !isShared(row)),
  ];
  const others = options.filter(isShared).map(([flags]) => code(/--[a-z-]+/.exec(flags)?.[0] ?? flags));
  const closing = closingOf(command);
  const description = command.description();
  return [
    `### ${pathOf(command)}`,
    `${plain(description.charAt(0).toUpperCase() + description.slice(1))}.`,
    `\`\`\`text\n${help.commandUsage(command)}\n\`\`\``,
    ...(rows.length > 0 ? [optionList(rows)] : []),
    ...(others.length > 0 ? [`${rows.length > 0 ? "Also " : ""}${others.join(", ")}.`] : []),
    ...(closing ? [closing.trimEnd()] : []),
  ].join("\n\n");
}

/** Returns the commands that do something, in the order of `--help`; others only have commands below them. */
export function commandsOf(command: Command): readonly Command[] {
  const below = command.createHelp().visibleCommands(command);
  const isCommand = command.parent !== null && command.name() !== "help";
  const acts = below.length === 0 || command.registeredArguments.length > 0;
  return [...(isCommand && acts ? [command] : []), ...below.flatMap(commandsOf)];
}

/** Returns the page about commands with the part about each of them replaced. */
export function withCommands(page: string): string {
  const commands = commandsOf(program());
  const shared = sharedOptions(commands);
  const parts = [
    "## Options of several commands",
    optionList(shared),
    "## Every command",
    ...commands.map((command) => sectionOf(command, shared)),
  ];
  return withGeneratedPart(page, parts.join("\n\n"));
}
