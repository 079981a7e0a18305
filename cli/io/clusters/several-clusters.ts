import { isSameDefinition } from "#shared/adapters/hub/semantics/stored-object.ts";
import { fieldWarning, type Issue } from "#shared/domain/issues/issue.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import type { LocatedObject } from "#shared/domain/manifests/located-object.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { renderedFolder } from "../../program/rendered-argument.ts";
import { type ProposedCluster, proposeClusters } from "../repository/propose-clusters.ts";
import { settingsFile } from "../repository/settings.ts";
import { type Decides, identityOf, originOf, type Tree } from "./sides.ts";

/** Returns the clusters to name in the settings, where files define objects differently; none where they do not. */
export function proposedClusters(
  { objects, embedded, pathOf }: Tree,
  decides: Decides,
): readonly ProposedCluster[] {
  const read = [...objects, ...embedded].filter((one) => decides(one.object) && !isOwn.has(originOf(one)));
  const byObject = Map.groupBy(read, (one) => `${originOf(one)} ${identityOf(one)}`);
  const definitions = [...byObject].flatMap(([object, all]) =>
    all.map((one) => ({
      object,
      variant: all.findIndex((first) => isSameDefinition(first.object, one.object)),
      // What is made of a folder is in it.
      path: renderedFolder(one.file) ? `${pathOf(one.file)}/` : pathOf(one.file),
    })),
  );
  return proposeClusters(definitions);
}

const isOwn: ReadonlySet<string> = new Set(["guest", "installer"]);

/** The longest proposal in a message. */
const maxShown = 300;

/** Returns the warning about an object that folders define differently, which are several clusters or a mistake. */
export function severalClusters(
  definitions: readonly LocatedObject[],
  proposed: readonly ProposedCluster[],
  pathOf: Tree["pathOf"],
): Issue {
  const [first] = definitions;
  const object = first ? displayName({ ...first.object.metadata, kind: first.object.kind }) : "";
  const places = someOf([...new Set(definitions.map(({ file }) => pathOf(file)))], 2);
  const text = `clusters: ${JSON.stringify(proposed)}`;
  const clusters = proposed.length > 0 && text.length <= maxShown ? sentence` ${text}` : "";
  return fieldWarning({ kind: "File", name: settingsFile }, "clusters", undefined, {
    code: "SeveralClusters",
    message: sentence`These look like several clusters: ${places} define ${object} differently. What needs to know that is not checked.`,
    remedy: sentence`Name the clusters in ${settingsFile}, as "hubrelay config propose" prints them.${clusters}`,
  });
}
