import type { NotCounted } from "../domain/precache-model/precache-plan.ts";
import type { PrecachingSpec } from "../domain/precache-model/precaching-spec.ts";
import type { MeasuredImages } from "../domain/precache-plan/sizes/cluster-sizes.ts";
import { readExclusion } from "../domain/precache-plan/values/exclude-patterns.ts";
import type { JudgedImage } from "../domain/ready/judge.ts";
import { sentence } from "../domain/text/redact.ts";
import { checkImages } from "./ready/check-images.ts";
import { type Expansion, expandRelease } from "./ready/expand-images.ts";

/** What `measureImages` needs. */
export type SizeReading = Pick<Expansion, "registry" | "access" | "routeOf">;

function uncertainPattern(name: string): NotCounted {
  return {
    name,
    reason: "this pattern is only applied on the cluster; images that it leaves out are counted",
  };
}

const whyNotFound = ({ tried }: JudgedImage): string =>
  tried.map(({ location, detail }) => sentence`${location}: ${detail}`).join("; ");

/** Returns the layers of all images that a cluster pulls. `notCounted` names what could not be counted, with the reason. */
export async function measureImages(
  spec: PrecachingSpec,
  architecture: string,
  reading: SizeReading,
): Promise<MeasuredImages & Readonly<{ images: readonly JudgedImage[] }>> {
  const { registry, access, routeOf } = reading;
  const { platformImage, operatorsIndexes, additionalImages } = spec;
  const { isExcluded, notApplied } = readExclusion(spec.excludePrecachePatterns);
  const notCounted: NotCounted[] = notApplied.map(uncertainPattern);
  const ofRelease: string[] = [];
  if (platformImage) {
    const { images, issues } = await expandRelease(platformImage, { ...reading, architecture }, isExcluded);
    const unreadable = issues.find(({ code }) => code === "ReleaseUnreadable");
    if (unreadable) notCounted.unshift({ name: platformImage, reason: unreadable.message });
    else ofRelease.push(...images.map(({ image }) => image));
  }
  const names = new Set([...ofRelease, ...operatorsIndexes, ...additionalImages]);
  const routes = [...names].flatMap((name) => {
    const route = routeOf(name);
    if (!("problem" in route)) return [route];
    notCounted.push({ name, reason: route.problem });
    return [];
  });
  const { images, located } = await checkImages(routes, {
    contents: registry,
    access,
    architectures: [architecture],
    depth: "manifests",
  });
  const found = new Map<string, number>();
  for (const [index, one] of images.entries()) {
    const own = located[index]?.parts?.layers;
    if (!own) notCounted.push({ name: one.image, reason: whyNotFound(one) });
    for (const { digest, size } of own ?? []) found.set(digest, size);
  }
  return { images, layers: found, catalogs: operatorsIndexes, notCounted };
}
