import { Option } from "commander";
import { type LabelSelector, selects } from "#shared/domain/kubernetes/label-selector.ts";
import { type KubernetesObject, namespaceOf } from "#shared/domain/kubernetes/object.ts";
import type { CliCommand } from "./command.ts";
import { labelSelector } from "./label-selector.ts";

/** Which objects a command shows, as the options of `addSelectionOptions` say. */
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

/** Reports whether the command shows this object. One without a namespace is in `default`. */
export function isSelected(
  object: KubernetesObject,
  { namespace, selector = [] }: SelectionOptions,
): boolean {
  const isThere = namespace === undefined || namespaceOf(object) === namespace;
  return isThere && selects(selector, object.metadata.labels);
}
