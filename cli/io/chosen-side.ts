import { isOfAnyVersion } from "#shared/domain/issues/served-version.ts";
import type { Kind } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { UsageError } from "../program/exit-codes.ts";
import type { PlacedSide } from "./manifest-source.ts";

/**
 * Returns the side that a command about one cluster is for: the only one with objects of these kinds. Objects in files come
 * before those that others hold; beside the latter, what the files have stays. Throws `UsageError` where there are several.
 */
export function chosenSide(
  sides: readonly PlacedSide[],
  kinds: readonly Kind[],
): Pick<PlacedSide, "objects" | "issues" | "place"> {
  const has = ({ objects }: PlacedSide) =>
    objects.some((object: KubernetesObject) => kinds.some((kind) => isOfAnyVersion(kind, object)));
  const own = sides.filter(({ isEmbedded }) => !isEmbedded);
  const [base, ...otherBases] = own.filter(has);
  const found = base ? [base, ...otherBases] : sides.filter(has);
  const distinct = [...new Map(found.map((side) => [side.name, side])).values()];
  const [side, ...others] = distinct.toReversed();
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
