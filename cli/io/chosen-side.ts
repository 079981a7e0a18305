import { isOfAnyVersion } from "#shared/domain/issues/served-version.ts";
import type { Kind } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { UsageError } from "../program/exit-codes.ts";
import type { ManifestsOrHub, PlacedSide } from "./manifest-source.ts";

type ChosenSide = Pick<PlacedSide, "objects" | "issues" | "place">;

/**
 * Returns the side that a command about one cluster is for: the only one with objects of these kinds. Objects in files come
 * before those that others hold; beside the latter, what the files have stays. Throws `UsageError` where there are several.
 */
function sideWith(sides: readonly PlacedSide[], kinds: readonly Kind[]): ChosenSide {
  const has = ({ objects }: PlacedSide) =>
    objects.some((object: KubernetesObject) => kinds.some((kind) => isOfAnyVersion(kind, object)));
  const own = sides.filter(({ isEmbedded }) => !isEmbedded);
  const bases = own.filter(has);
  const found = bases.length > 0 ? bases : sides.filter(has);
  // Those after the first of a name have what its definitions replace.
  const distinct = found.filter((one, index) => found.findIndex(({ name }) => name === one.name) === index);
  const [side, ...others] = distinct;
  if (others.length > 0)
    throw new UsageError(
      `the manifests are of several clusters: ${distinct.map(({ name }) => name || "the objects outside of these").join(", ")}. Name the files of one with -f.`,
    );
  const [around] = own;
  if (!side) return around ?? { objects: [], issues: [], place: (issues) => issues };
  if (!side.isEmbedded || !around) return side;
  const place: PlacedSide["place"] = (issues) => around.place(side.place(issues));
  return { objects: [...around.objects, ...side.objects], issues: [...around.issues, ...side.issues], place };
}

/** Returns the side of a command about one cluster, with the issues of all files. Throws `UsageError` for several clusters. */
export function chosenSide(
  { sides, ofFiles }: Pick<ManifestsOrHub, "sides" | "ofFiles">,
  kinds: readonly Kind[],
): ChosenSide {
  const { objects, issues, place } = sideWith(sides(), kinds);
  return { objects, issues: [...ofFiles, ...issues], place };
}
