import type { Command } from "commander";
import { expect, test } from "vitest";
import * as z from "zod";
import { program } from "../cli/commands/all-commands.ts";
import { stackOptions } from "../infra/stack-options.ts";
import { blocksOf } from "./support/documentation/console-blocks.ts";
import { documentationPages } from "./support/documentation/pages.ts";

const pages = await documentationPages();

/** Every call of hubrelay in a block of a page, whether a test runs it or not, as words without redirections. */
const calls = pages.flatMap(({ page, text }) =>
  [...blocksOf(text, "console"), ...blocksOf(text, "sh")].flatMap((block) =>
    [
      ...block
        .replaceAll(/\\\n\s*/g, "")
        .replaceAll(/\s# .*$/gm, "")
        .matchAll(/(?:^|[$|(] ?|\w+=\S+ |-- )hubrelay ([^|><)\n]*)/gm),
    ].map(([, words = ""]) => ({ page, words: words.trim().split(/\s+/) })),
  ),
);

/** Returns the command that the words name, and the words behind its name. */
function commandOf(words: readonly string[], from: Command): readonly [Command, readonly string[]] {
  const [first = "", ...rest] = words;
  const below = from.commands.find((command) => command.name() === first);
  return below ? commandOf(rest, below) : [from, words];
}

test("When a page calls hubrelay, the program should have that command and its options", () => {
  expect(calls.length).toBeGreaterThan(100);
  const wrong = calls.filter(({ words }) => {
    const [command, rest] = commandOf(words, program());
    const known = command.options.flatMap(({ short, long }) => [short, long]);
    const used = rest.filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.split("=", 1).join());
    return used.some((option) => !known.includes(option)) || (command.parent === null && used.length === 0);
  });
  expect(wrong.map(({ page, words }) => `${page}: ${words.join(" ")}`)).toEqual([]);
});

const stackCalls = pages.flatMap(({ page, text }) =>
  blocksOf(text, "sh").flatMap((block) =>
    [
      ...block
        .replaceAll(/\\\n\s*/g, "")
        .replaceAll(/\s# .*$/gm, "")
        .matchAll(/npm run (package|deploy|remove) -- (.*)$/gm),
    ].map(([, action = "", words = ""]) => ({ page, action, words: words.replaceAll("$", "").trim() })),
  ),
);

test("When a page deploys or removes a stack, the command should accept its options", () => {
  expect(stackCalls.length).toBeGreaterThan(3);
  for (const { action, words } of stackCalls)
    expect(
      stackOptions(z.enum(["package", "deploy", "remove"]).parse(action), words.split(/\s+/), {
        AWS_REGION: "eu-central-1",
      }),
    ).toContain("--stage=prod");
});
