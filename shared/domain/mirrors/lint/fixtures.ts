import type { Issue } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { configureMirrors, type MirrorInput } from "../configuration.ts";
import { anImage } from "../fixtures.ts";

/** A configuration, with the lists of its Image object. */
export type Given = Readonly<{
  objects: readonly KubernetesObject[];
  lists?: Readonly<Record<string, readonly string[]>>;
}> &
  Omit<MirrorInput, "image">;

const elsewhere = ["DeprecatedKind", "SupersededKind", "InternalRegistryNotAllowed", "PullsWithoutLocation"];

/** Returns the issues of a configuration, but those of kinds, the cluster's own registry and closed sources. */
export function issuesAbout({ lists, ...input }: Given): readonly Issue[] {
  const given = { ...input, ...(lists ? { image: anImage(lists) } : {}) };
  const { issues } = configureMirrors(given, { writer: "hubrelay" });
  return issues.filter(({ code }) => !elsewhere.includes(code));
}

/** Formats the position of each issue: `code Kind/name path`. */
export function places(issues: readonly Issue[]): readonly string[] {
  return issues.map(({ code, object: { kind, name }, path }) => `${code} ${kind}/${name} ${path}`);
}
