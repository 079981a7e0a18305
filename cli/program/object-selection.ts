import { InvalidArgumentError, Option } from "commander";
import type { LabelSelector } from "#shared/domain/kubernetes/label-selector.ts";
import type { CliCommand } from "./command.ts";

type Requirement = LabelSelector[number];

const problem = "It must be a label selector such as site=oslo,tier!=test,region in (north,south),!retired.";
const key = String.raw`(?<key>[\w./-]+)`;
const forms: readonly (readonly [RegExp, Requirement["operator"]])[] = [
  [new RegExp(`^${key}\\s*==?\\s*(?<value>[\\w.-]*)$`), "In"],
  [new RegExp(`^${key}\\s*!=\\s*(?<value>[\\w.-]*)$`), "NotIn"],
  [new RegExp(`^${key}\\s+in\\s*\\((?<values>[^()]+)\\)$`), "In"],
  [new RegExp(`^${key}\\s+notin\\s*\\((?<values>[^()]+)\\)$`), "NotIn"],
  [new RegExp(`^!\\s*${key}$`), "DoesNotExist"],
  [new RegExp(`^${key}$`), "Exists"],
];

function requirement(text: string): Requirement {
  for (const [form, operator] of forms) {
    const groups = form.exec(text)?.groups;
    if (!groups?.key) continue;
    const values =
      groups.values?.split(",").map((value) => value.trim()) ??
      (groups.value === undefined ? [] : [groups.value]);
    return { key: groups.key, operator, values };
  }
  throw new InvalidArgumentError(problem);
}

/** Parses the value of `-l`, in all forms that kubectl accepts. */
export function labelSelector(text: string): LabelSelector {
  // A comma inside parentheses separates values.
  const parts = text.match(/(?:\([^)]*(?:\)|$)|[^,(])+|(?<=^|,)(?=,|$)/g) ?? [];
  return parts.map((part) => requirement(part.trim()));
}

/** The values of the options of `addSelectionOptions`, which select the objects that a command shows. */
export type SelectionOptions = Readonly<{
  namespace?: string;
  allNamespaces?: boolean;
  selector?: LabelSelector;
}>;

/** Adds `-n`, `-A` and `-l` to a command that lists objects of these kinds, with kubectl's meaning. */
export function addSelectionOptions(command: CliCommand, kinds: string): void {
  command
    .option("-n, --namespace <name>", `only ${kinds} in this namespace`)
    .addOption(
      new Option("-A, --all-namespaces", `${kinds} in all namespaces (the default)`).conflicts("namespace"),
    )
    .option(
      "-l, --selector <labels>",
      `only ${kinds} with these labels, such as site=oslo,tier!=test`,
      labelSelector,
    );
}
