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

/** Parses the value of `-l`, in the forms that kubectl accepts. */
export function labelSelector(text: string): LabelSelector {
  // Commas between parentheses separate values, not requirements.
  const parts = text.match(/(?:\([^)]*(?:\)|$)|[^,(])+|(?<=^|,)(?=,|$)/g) ?? [];
  return parts.map((part) => requirement(part.trim()));
}

/** The values of `-n`, `-A` and `-l`. */
export type SelectionOptions = Readonly<{
  namespace?: string;
  allNamespaces?: boolean;
  selector?: LabelSelector;
}>;

/** Adds `-n`, `-A` and `-l`, with the same meaning as for kubectl. `kinds` are the listed kinds in the help. */
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
