import type { Command } from "commander";
import { expect, test } from "vitest";
import * as z from "zod";
import { mirrorConfigWatches } from "#functions/mirror-config/watches.ts";
import { imageModeKinds } from "#shared/domain/diff/node-cost/disruption-policy.ts";
import { type Kind, kinds } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds, sourcePolicyKinds } from "#shared/domain/mirrors/input/rules.ts";
import { clusterDeclarations } from "#shared/domain/precache-plan/selection/declared-clusters.ts";
import { program } from "../cli/commands/all-commands.ts";
import { planKinds } from "../cli/commands/precache/plan-inputs.ts";
import { stackOptions } from "../infra/stack-options.ts";
import { blocksOf } from "./support/documentation/console-blocks.ts";
import { documentationPages, type Page } from "./support/documentation/pages.ts";

/** Returns what the help of a command, and of those below it, shows to type, as pages with a block. */
function helpPages(command: Command): readonly Page[] {
  let help = "";
  command.configureOutput({
    writeOut: (part) => {
      help += part;
    },
  });
  command.outputHelp();
  const typed = [...help.matchAll(/^ {2}\S.*$/gm)].map(([line]) => line.trim()).join("\n");
  const below = command.commands.filter((one) => one.name() !== "help");
  return [
    { page: help.split("\n", 1).join(), text: `\`\`\`sh\n${typed}\n\`\`\`\n` },
    ...below.flatMap(helpPages),
  ];
}

const pages = [...(await documentationPages()), ...helpPages(program())];

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

/** The kinds that commands read from a live hub. */
const readKinds: Readonly<Record<string, readonly Kind[]>> = {
  verify: [...mirrorConfigWatches.watches.map(({ kind }) => kind), kinds.FeatureGate],
  "precache plan": planKinds,
  convert: mirrorRuleKinds,
};
/** What `oc get` cannot name beside other kinds, or what not every hub serves: without it oc reads nothing. */
const notNamed: readonly Kind[] = [
  ...sourcePolicyKinds,
  kinds.MaintenanceWindow,
  // Up to 4.19.
  ...imageModeKinds,
  ...clusterDeclarations,
  // One of them is read, by its name.
  kinds.ConfigMap,
];
const shortNames: Readonly<Record<string, Kind>> = {
  idms: kinds.ImageDigestMirrorSet,
  itms: kinds.ImageTagMirrorSet,
  mcp: kinds.MachineConfigPool,
  mc: kinds.MachineConfig,
  cgu: kinds.ClusterGroupUpgrade,
};
const pipes = pages.flatMap(({ page, text }) =>
  [...text.matchAll(/oc get (\S+)([^|\n]*) \| hubrelay ((?:[a-z]+ )+)/g)].map(
    ([, names = "", options = "", command = ""]) => ({ page, names, options, command: command.trim() }),
  ),
);

test("When a page pipes what oc reads into a command, it should be every kind that the command reads", () => {
  expect(new Set(pipes.map(({ command }) => command))).toEqual(new Set(Object.keys(readKinds)));
  for (const { page, names, options, command } of pipes) {
    const named = names.split(",").map((name) => {
      const [resource = "", ...group] = name.split(".");
      const found = Object.values<Kind>(kinds).find(
        ({ kind, apiVersion }) =>
          kind.toLowerCase() === resource &&
          apiVersion.startsWith(group.length > 0 ? `${group.join(".")}/` : ""),
      );
      return (shortNames[name] ?? found)?.kind ?? name;
    });
    const wanted = (readKinds[command] ?? []).filter((kind) => !notNamed.includes(kind));
    expect(new Set(named), `${page}: ${command}`).toEqual(new Set(wanted.map(({ kind }) => kind)));
    if (wanted.some(({ namespaced }) => namespaced)) expect(options, `${page}: ${command}`).toContain("-A");
  }
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
    ).toContainEqual(expect.stringMatching(/^--stage=prod/));
});
