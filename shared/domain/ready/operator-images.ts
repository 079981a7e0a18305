import { isRecord, listOf, objectsOf, textOf, type UnknownRecord } from "../kubernetes/json/values.ts";
import { tryParseJsonStream } from "../manifests/positions.ts";
import { parseYamlDocument, YamlDocumentError } from "../manifests/yaml-document.ts";
import { splitYamlStream } from "../manifests/yaml-stream.ts";
import { sentence } from "../text/redact.ts";
import type { CatalogSelection, SelectedPackage } from "./catalog-selection.ts";

/** Label of an index image; its value is the folder of the file-based catalog. */
export const configsLabel = "operators.operatorframework.io.index.configs.v1";
/** Label of an index image with a database, the older format of catalogs. */
export const databaseLabel = "operators.operatorframework.io.index.database.v1";

/** What a selection finds in a catalog. `problems` are missing or invalid parts of the catalog. */
export type CatalogContent = Readonly<{
  images: readonly string[];
  /** The selected packages, each with its channel; empty if every package is selected. */
  packages: readonly SelectedPackage[];
  problems: readonly string[];
}>;

type Channel = Readonly<{ name: string; entries: readonly UnknownRecord[] }>;
type Package = {
  defaultChannel: string | undefined;
  readonly channels: Map<string, Channel>;
  readonly bundles: Map<string, readonly string[]>;
};

type Selected = SelectedPackage & Readonly<{ channel: string; images: readonly string[] }>;

function blobsIn(text: string): readonly unknown[] {
  const json = tryParseJsonStream(text);
  if (json) return json.map(({ value }) => value);
  return splitYamlStream(text).flatMap((chunk) =>
    chunk.isEmpty ? [] : [parseYamlDocument(chunk.text).value],
  );
}

/** The workload must choose the same bundle (infra/precache-workload/operator-images.sh). */
function headOf({ entries }: Channel): string | undefined {
  const passed = new Set(entries.flatMap(({ replaces, skips }) => [replaces, ...listOf(skips)]));
  const names = entries.flatMap(({ name }) => textOf(name) ?? []);
  return names.findLast((name) => !passed.has(name)) ?? names.at(-1);
}

function imagesOf({ image, relatedImages }: UnknownRecord): readonly string[] {
  const related = objectsOf(relatedImages).map((one) => one.image);
  return [...new Set([image, ...related].flatMap((one) => textOf(one) ?? []))];
}

function selectIn(
  known: ReadonlyMap<string, Package>,
  { name, channel: asked, version = "" }: SelectedPackage,
  problems: string[],
): readonly Selected[] {
  const found = known.get(name);
  const channel = asked ?? found?.defaultChannel;
  const chosen = channel === undefined ? undefined : found?.channels.get(channel);
  if (!found || channel === undefined || !chosen) {
    problems.push(
      found
        ? sentence`package ${name} has no channel ${channel ?? "by default"}`
        : sentence`there is no package ${name}`,
    );
    return [];
  }
  const head = headOf(chosen);
  const images = head === undefined ? [] : found.bundles.get(head);
  if (!images) problems.push(sentence`channel ${channel} of package ${name} has no bundle ${head ?? ""}`);
  const { defaultChannel } = found;
  const pinned = version === head ? [] : (found.bundles.get(version) ?? []);
  const all = [...(images ?? []), ...pinned];
  return [{ name, channel, ...(defaultChannel === undefined ? {} : { defaultChannel }), images: all }];
}

/** Returns a reader of a file-based catalog, which keeps only the objects that the selection may need. */
export function catalogReader({ packages }: CatalogSelection) {
  const wanted = new Set(packages.map(({ name }) => name));
  const known = new Map<string, Package>();
  const problems: string[] = [];

  function packageOf(name: string): Package | undefined {
    if (wanted.size > 0 && !wanted.has(name)) return undefined;
    const one: Package = known.get(name) ?? {
      defaultChannel: undefined,
      channels: new Map(),
      bundles: new Map(),
    };
    known.set(name, one);
    return one;
  }

  function keep(blob: unknown): void {
    if (!isRecord(blob)) return;
    const { schema, name } = blob;
    if (typeof name !== "string") return;
    if (schema === "olm.package") {
      const found = packageOf(name);
      if (found) found.defaultChannel = textOf(blob.defaultChannel);
    }
    const owner = typeof blob.package === "string" ? packageOf(blob.package) : undefined;
    if (!owner) return;
    if (schema === "olm.channel") owner.channels.set(name, { name, entries: objectsOf(blob.entries) });
    if (schema === "olm.bundle") owner.bundles.set(name, imagesOf(blob));
  }

  return {
    add(path: string, text: string): void {
      if (!/\.(?:json|ya?ml)$/.test(path)) return;
      try {
        for (const blob of blobsIn(text)) keep(blob);
      } catch (error) {
        if (!(error instanceof YamlDocumentError)) throw error;
        problems.push(sentence`${path} is not valid: ${error.message}`);
      }
    },
    /** Returns the images of all bundles, also of bundles in no channel. Call this after the last file. */
    allImages: (): readonly string[] =>
      [...known.values()].flatMap(({ bundles }) => [...bundles.values()].flat()),
    /** Returns the images of the selection. Call this after the last file. */
    content(): CatalogContent {
      const isWhole = packages.length === 0;
      const wantedPackages = isWhole ? [...known.keys()].sort().map((name) => ({ name })) : packages;
      const selected = wantedPackages.flatMap((one) => selectIn(known, one, problems));
      if (known.size === 0 && isWhole) problems.push("the catalog has no packages");
      return {
        images: selected.flatMap(({ images }) => images),
        packages: isWhole ? [] : selected.map(({ images: _, ...one }) => one),
        problems,
      };
    },
  };
}
