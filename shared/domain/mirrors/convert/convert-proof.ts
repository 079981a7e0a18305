import { hasErrors, type Issue } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { nodePaths } from "../../openshift/machine-config/node-file.ts";
import { configureMirrors, type MirrorConfiguration, type MirrorInput } from "../configuration.ts";
import type { Writer } from "../node-config/read-input.ts";
import { registriesConfDifference } from "../registries-conf/registries-conf-difference.ts";

type MigrationStep = "creating the new objects" | "deleting the old objects";

type MigrationProof = Readonly<{
  /** How each step changes the files of a node, as lines of text. Steps without changes are left out. */
  changes: readonly Readonly<{ step: MigrationStep; lines: readonly string[] }>[];
  /** The errors of the first configuration that has errors: before, between or after the steps. */
  refusals: readonly Issue[];
}>;

export type Migration = Readonly<{
  old: readonly KubernetesObject[];
  made: readonly KubernetesObject[];
  /** The rest of the input, which does not change. */
  beside: MirrorInput;
  writer?: Writer;
}>;

function isSameObject(a: KubernetesObject, b: KubernetesObject): boolean {
  return a.kind === b.kind && a.apiVersion === b.apiVersion && a.metadata.name === b.metadata.name;
}

function fileChanges(before: MirrorConfiguration, after: MirrorConfiguration): readonly string[] {
  const contents = ({ files }: MirrorConfiguration, path: string): string =>
    files.find((file) => file.path === path)?.contents ?? "";
  const paths = new Set([...before.files, ...after.files].map(({ path }) => path));
  return [...paths].flatMap((path) => {
    const old = contents(before, path);
    const now = contents(after, path);
    if (old === now) return [];
    const lines = path === nodePaths.registriesConf ? registriesConfDifference(old, now) : [];
    return [path, ...lines.map((line) => `  ${line}`)];
  });
}

/**
 * Compares the files of nodes before, during and after a migration from old objects to new objects. A migration without
 * changes and refusals does not affect any node.
 */
export function proveMigration({ old, made, beside, ...options }: Migration): MigrationProof {
  // A new object replaces an existing object with the same name.
  const others = beside.objects.filter((object) => !made.some((each) => isSameObject(each, object)));
  const configured = (objects: readonly KubernetesObject[]) =>
    configureMirrors({ ...beside, objects }, options);
  const before = configured([...beside.objects, ...old]);
  const created = configured([...others, ...old, ...made]);
  const deleted = configured([...others, ...made]);
  const changes = [
    { step: "creating the new objects", lines: fileChanges(before, created) },
    { step: "deleting the old objects", lines: fileChanges(created, deleted) },
  ] as const;
  const refused = [before, created, deleted].find(({ issues }) => hasErrors(issues));
  return {
    changes: changes.filter(({ lines }) => lines.length > 0),
    refusals: refused?.issues.filter(({ severity }) => severity === "error") ?? [],
  };
}
