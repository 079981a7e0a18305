import { type KubernetesObject, timestamp } from "#shared/domain/kubernetes/object.ts";
import { type ImageRoute, signedRoute } from "#shared/domain/ready/locations.ts";
import {
  basisOf,
  type ImageRecord,
  type ImageRecords,
  isDue,
  newer,
} from "#shared/domain/ready/record/image-record.ts";
import type { Content, StoredReadiness } from "#shared/domain/ready/record/readiness-report.ts";
import {
  type Registry,
  type RegistryAccess,
  type RegistryContents,
  RegistryError,
} from "#shared/ports/registry.ts";
import { type ImageQuestion, recheckImages } from "#shared/registry/ready/recheck-images.ts";
import { withoutUnresponsive } from "#shared/registry/run-limits.ts";
import {
  contentOf,
  isOutdated,
  knownContent,
  presentReport,
  type RequiredUpgrade,
  type RouteOf,
  readContent,
} from "./read-content.ts";

/** An upgrade, its images, and what is known about each image. An image that was never checked has no record. */
export type CheckedUpgrade = Readonly<{
  cgu: KubernetesObject;
  /** Undefined until the images are read, because each reconcile reads the images of only one upgrade. */
  content: Content | undefined;
  records: ImageRecords;
}>;

export type Asked = Readonly<{
  upgrades: readonly CheckedUpgrade[];
  /** The reason why no registry was queried; undefined if registries were queried. */
  obstacle: string | undefined;
  /** True if images are left for another reconcile, because one reconcile makes a limited number of requests. */
  isUnfinished: boolean;
}>;

export const nothingAsked: Asked = { upgrades: [], obstacle: undefined, isUnfinished: false };

/** The maximum number of requests in one reconcile. */
const budget = 512;
/** A new image costs about eight requests, since its layers are also checked. */
const costOfImage = 8;
/** The maximum number of upgrades whose images one reconcile reads, because reading a catalog may take a minute. */
const maxContents = 1;

type Stored = ReadonlyMap<string, StoredReadiness>;

type Images = Pick<Content, "images" | "architectures" | "version">;
const noContent: Images = { images: [], architectures: [] };

/** A function that returns how nodes pull an image, or the reason why this is unknown. */
export type NodeRules = Readonly<{ routeOf: RouteOf }> | Readonly<{ obstacle: string }>;

export type Asking = Readonly<{
  upgrades: readonly RequiredUpgrade[];
  /** The contents and records that the reports store. The key is `namespace/name` of the upgrade. */
  stored: Stored;
  rules: NodeRules;
  registry: Registry & RegistryContents;
  access: RegistryAccess;
  now: Date;
}>;

function recordsIn(stored: Stored): ReadonlyMap<string, ImageRecord> {
  const records = new Map<string, ImageRecord>();
  for (const { records: some } of stored.values())
    for (const [image, record] of some) {
      const name = nameOf(image, record.basis);
      records.set(name, newer(records.get(name), record) ?? record);
    }
  return records;
}

const nameOf = (image: string, basis: string): string => `${basis} ${image}`;

function withinBudget(due: readonly ImageQuestion[]): readonly ImageQuestion[] {
  let left = budget;
  return due.filter(({ route, before }) => {
    const place = route.locations.findIndex(({ reference }) => reference === before?.from);
    left -= before?.digest === undefined ? costOfImage : Math.max(1, place + 1);
    return left >= 0;
  });
}

type Routed = Readonly<{ image: string; route: ImageRoute; name: string }>;

function router(routeOf: RouteOf): (content: Images | undefined) => readonly Routed[] {
  const routes = new Map<string, ReturnType<RouteOf>>();
  return ({ images, architectures, version = "" } = noContent) =>
    images.flatMap((image) => {
      const found = routes.get(image) ?? routeOf(image);
      routes.set(image, found);
      if ("problem" in found) return [];
      const route = signedRoute(found, [version], { objects: [] });
      return { image, route, name: nameOf(image, basisOf(route, architectures)) };
    });
}

async function contentsOf(
  { upgrades, stored, registry, access, now }: Asking,
  routeOf: RouteOf,
): Promise<readonly (Content | undefined)[]> {
  let reads = 0;
  const contents: (Content | undefined)[] = [];
  for (const upgrade of upgrades) {
    const isSame = (one: Content | undefined) =>
      one?.revision === upgrade.revision && one.architectures.join() === upgrade.architectures.join();
    const known = contents.find(isSame) ?? knownContent(upgrade, stored, now);
    const isRead = known === undefined && reads++ < maxContents;
    contents.push(isRead ? await readContent(upgrade, { registry, access, routeOf }, now) : known);
  }
  return contents;
}

async function ask(asking: Asking, routeOf: RouteOf): Promise<Asked> {
  const { upgrades, stored, registry, access, now } = asking;
  const contents = await contentsOf(asking, routeOf);
  const before = recordsIn(stored);
  const routesOf = router(routeOf);
  const due = new Map<string, ImageQuestion>();
  for (const [index, { architectures, since }] of upgrades.entries())
    for (const { route, name } of routesOf(contents[index])) {
      const known = before.get(name);
      if (!known || isDue(known, known.basis, { now, since }))
        due.set(name, { route, architectures, before: known });
    }
  const questions = withinBudget([...due.values()]);
  const after = new Map(before);
  for (const { image, record } of await recheckImages(questions, { registry, access, at: timestamp(now) }))
    after.set(nameOf(image, record.basis), record);

  let isUnfinished = questions.length < due.size || contents.includes(undefined);
  const checked = upgrades.map((upgrade, index): CheckedUpgrade => {
    const { cgu } = upgrade;
    const content = contents[index];
    const recordsOf = (all: ReadonlyMap<string, ImageRecord>) =>
      new Map(
        routesOf(content).flatMap(({ image, name }) => {
          const record = all.get(name);
          return record ? [[image, record] as const] : [];
        }),
      );
    const records = recordsOf(after);
    if (!content || !isOutdated(upgrade, recordsOf(before), records)) return { cgu, content, records };
    isUnfinished = true;
    return { cgu, content: { ...content, readAt: undefined }, records };
  });
  return { upgrades: checked, obstacle: undefined, isUnfinished };
}

function withoutAsking({ upgrades, stored }: Asking, obstacle: string): Asked {
  const kept = upgrades.map((upgrade): CheckedUpgrade => {
    const report = presentReport(upgrade, stored);
    return {
      cgu: upgrade.cgu,
      content: report && contentOf(report),
      records: report?.records ?? new Map(),
    };
  });
  return { upgrades: kept, obstacle, isUnfinished: false };
}

/** Queries registries about the images that are due for a check, up to the limit for one reconcile. */
export async function askRegistries(asking: Asking): Promise<Asked> {
  const { rules, registry } = asking;
  if ("obstacle" in rules) return withoutAsking(asking, rules.obstacle);
  try {
    return await ask({ ...asking, registry: withoutUnresponsive(registry) }, rules.routeOf);
  } catch (error) {
    if (error instanceof RegistryError && error.code === "InvalidPullSecret")
      return withoutAsking(asking, error.message.replace(/\.$/, ""));
    throw error;
  }
}
