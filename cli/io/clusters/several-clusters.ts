import { isSameDefinition } from "#shared/adapters/hub/semantics/stored-object.ts";
import { fieldWarning, type Issue } from "#shared/domain/issues/issue.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import type { LocatedObject } from "#shared/domain/manifests/located-object.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { renderedFolder } from "../../program/rendered-argument.ts";
import { settingsFile } from "../repository/settings.ts";
import { type Decides, identityOf, originOf, type Tree } from "./sides.ts";

/** A definition of an object: those of one object with the same variant have the same content. */
export type Definition = Readonly<{ object: string; variant: number; path: string }>;

/** A cluster as the settings of a repository name it. */
export type ProposedCluster = Readonly<{ name: string; paths: readonly string[] }>;

type Steps = readonly string[];
type Placed = Readonly<{ object: string; variant: number; steps: Steps }>;

const stepsOf = (path: string): Steps => path.split("/");
const isBelow = (steps: Steps, folder: Steps): boolean => folder.every((step, at) => steps[at] === step);

/** Returns the folder below which the definitions of an object differ; undefined if they do not, or only in one folder. */
function forkOf(definitions: readonly Placed[]): Steps | undefined {
  const [first] = definitions;
  const folder = ({ steps }: Placed) => steps.slice(0, -1).join("/");
  const isApart = definitions.some((one) =>
    definitions.some((other) => one.variant !== other.variant && folder(one) !== folder(other)),
  );
  if (!first || !isApart) return undefined;
  const length = first.steps.findIndex((step, at) => definitions.some(({ steps }) => steps[at] !== step));
  return first.steps.slice(0, length);
}

/** Returns the folders and files that define objects differently, without those inside of another one. */
function outermostBranches(
  definitions: readonly Placed[],
): readonly Readonly<{ name: string; path: Steps }>[] {
  const found = [...Map.groupBy(definitions, ({ object }) => object).values()].flatMap((all) => {
    const fork = forkOf(all);
    return fork ? [{ fork, all }] : [];
  });
  const outermost = found.filter(
    ({ fork }) => !found.some((other) => isBelow(fork, other.fork) && other.fork.length < fork.length),
  );
  const paths = outermost.flatMap(({ fork, all }) => {
    const folders = definitions.filter(({ steps }) => isBelow(steps, fork) && steps.length > fork.length + 1);
    return [...all, ...folders].map(({ steps }) => steps.slice(0, fork.length + 1).join("/"));
  });
  return [...new Set(paths)].map((path) => ({
    name: path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, ""),
    path: stepsOf(path),
  }));
}

function split(definitions: readonly Placed[]): readonly ProposedCluster[] {
  return [...Map.groupBy(outermostBranches(definitions), ({ name }) => name)].flatMap(
    ([name, all]): readonly ProposedCluster[] => {
      const own = definitions.filter(({ steps }) => all.some(({ path }) => isBelow(steps, path)));
      const inner = split(own);
      if (inner.length === 0) return [{ name, paths: all.map(({ path }) => path.join("/")) }];
      // What lies beside inner clusters belongs to each of them.
      const isInner = (steps: Steps) =>
        inner.some(({ paths }) => paths.some((path) => isBelow(steps, stepsOf(path))));
      const beside = own.flatMap(({ steps }) => (isInner(steps) ? [] : [steps.join("/")]));
      return inner.map((one) => ({
        name: `${name}/${one.name}`,
        paths: [...one.paths, ...new Set(beside)],
      }));
    },
  );
}

/**
 * Returns clusters to propose to a person: the folders in which objects are defined differently, those of the same name as
 * one cluster. Empty where no object is.
 */
export function proposeClusters(definitions: readonly Definition[]): readonly ProposedCluster[] {
  return split(definitions.map(({ path, ...one }) => ({ ...one, steps: stepsOf(path) }))).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

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
