import { InvalidArgumentError } from "commander";
import type { LabelSelector } from "#shared/domain/kubernetes/label-selector.ts";

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

/** Parses the text of `-l`, in the forms that kubectl accepts. */
export function labelSelector(text: string): LabelSelector {
  // A comma inside parentheses separates values.
  return text.split(/,(?![^(]*\))/).map((part) => requirement(part.trim()));
}
