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
