import type { Issue } from "#shared/domain/issues/issue.ts";
import { displayName, type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { writeYaml } from "#shared/domain/manifests/manifests.ts";
import type { Origin, SourceExplanation } from "#shared/domain/mirrors/explain/explain-source.ts";
import { redactTexts } from "#shared/domain/text/redact.ts";

/** An object with rules for mirrors, as the page shows it beside them. */
export type MirrorObject = Readonly<{
  kind: string;
  namespace?: string;
  name: string;
  /** Its spec as YAML, without credentials. */
  lines: readonly string[];
  issues: readonly Issue[];
  /** The sources whose entries have something from it. */
  scopes: readonly string[];
}>;

/** A MachineConfig has whole files, which the page shows otherwise. */
const isShown = ({ kind }: KubernetesObject) => kind !== kinds.MachineConfig.kind;

function originsOf({ mirrors, blockedBy, insecureBy }: SourceExplanation): readonly Origin[] {
  return [
    ...blockedBy,
    ...insecureBy,
    ...mirrors.flatMap(({ listedBy, insecureBy: by }) => [...listedBy, ...by]),
  ];
}

/** Returns the object that `displayName` names so; undefined where it does not exist. */
export function mirrorObject(
  named: string,
  objects: readonly KubernetesObject[],
  issues: readonly Issue[],
  sources: readonly SourceExplanation[],
): MirrorObject | undefined {
  const found = objects.find((object) => isShown(object) && displayName(referenceTo(object)) === named);
  if (!found) return undefined;
  const { kind, spec = {} } = found;
  const { namespace, name } = found.metadata;
  return {
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    lines: writeYaml(redactTexts({ spec })).trimEnd().split("\n"),
    issues: issues.filter(({ object }) => displayName(object) === named),
    scopes: sources
      .filter((source) => originsOf(source).some((one) => one.kind === kind && one.name === name))
      .map(({ scope }) => scope),
  };
}
