import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { managedClustersIn } from "#shared/domain/precache-plan/selection/declared-clusters.ts";
import { needsOf } from "#shared/domain/ready/needs.ts";
import { deleteImageList, findUnneeded, type Unneeded } from "#shared/domain/ready/unneeded.ts";
import { byteSize, counted } from "#shared/domain/text/human-readable.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { RegistryError } from "#shared/ports/registry.ts";
import { type NeededImages, neededImages } from "#shared/registry/ready/needed-images.ts";
import { readInventory } from "#shared/registry/ready/registry-inventory.ts";
import { runBy, runLimits } from "#shared/registry/run-limits.ts";
import { printIssues } from "../../io/issue-text.ts";
import { onLiveHub, readLiveHub } from "../../io/live-hub.ts";
import { readSources } from "../../io/manifest-source.ts";
import { nodeAccess } from "../../io/node-access.ts";
import { print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, structured } from "../../io/structured-output.ts";
import { table, tableWithHeadings } from "../../io/table.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { catalogKinds } from "../import/import.ts";
import { mirrorInputKinds } from "../mirrors/mirror-input.ts";
import { planKinds } from "../precache/plan-inputs.ts";
import { nodeKinds, nodeRules } from "./node-rules.ts";
import type { ReadyOptions } from "./ready.ts";

export type UnneededOptions = Pick<ReadyOptions, "filename" | "pullSecret" | "timeout" | "maxRequests"> &
  Readonly<{ own?: readonly string[]; output: "table" | "json" | "delete-image-list" }>;

/** All must be readable: an unread object may name any image. */
const namingKinds = [...mirrorInputKinds, ...planKinds, ...nodeKinds, ...catalogKinds, kinds.MachineOSConfig];

async function readInput(filename: readonly string[] | undefined) {
  if (!filename) return { held: [], ...(await readLiveHub(namingKinds)) };
  const { tree, unread, damaged } = await readSources(filename);
  const broken = damaged.map(({ object }) => ({ what: `${object.kind}/${object.metadata.name}` }));
  const objectsIn = (all: typeof tree.objects) => all.map(({ object }) => object);
  return { objects: objectsIn(tree.objects), held: objectsIn(tree.embedded), unread: [...unread, ...broken] };
}

/** With reasons in `unknown`, any image may be needed, so that no image is reported. */
type Report = Unneeded & Readonly<{ complete: boolean }> & Pick<NeededImages, "kept" | "unknown">;

async function find(
  hub: HubReader,
  scopes: readonly string[],
  { objects, held, unread }: Awaited<ReturnType<typeof readInput>>,
  { own = [], pullSecret, maxRequests, timeout }: UnneededOptions,
): Promise<Report> {
  const rules = nodeRules(objects, {});
  const [routes] = "refusal" in rules ? [] : rules.groups;
  const { access, issues } = await nodeAccess(hub, undefined, pullSecret);
  printIssues([...issues, ...("refusal" in rules ? rules.refusal : [])]);
  const client = ociRegistry({ environment: process.env, maxAttempts: 2 });
  const { run } = runLimits({ requests: maxRequests, timeUp: AbortSignal.timeout(timeout) });
  const registry = {
    ...runBy(client, run),
    repositories: (host: string) => run(host, () => client.repositories(host, access)),
    tags: (repository: string) => run(repository, () => client.tags(repository, access)),
  };
  try {
    const stored = await readInventory(scopes, { registry, access });
    const needs = needsOf([...new Set([...objects, ...managedClustersIn(objects)])], held);
    const { routeOf = () => ({ problem: "the mirror objects are refused" }) } = routes ?? {};
    const expansion = { registry, access, architecture: "amd64", routeOf };
    const needed = await neededImages(needs, stored, expansion, own.length > 0);
    const unknown = [...unread.map(({ what }) => sentence`${what} is not read`), ...needed.unknown];
    const found = findUnneeded(stored, { ...needed, own });
    const complete = unknown.length === 0;
    return { complete, ...found, ...(complete ? {} : { images: [], bytes: 0 }), unknown, kept: needed.kept };
  } catch (error) {
    throw error instanceof RegistryError ? new UsageError(error.message) : error;
  } finally {
    client.close();
  }
}

function reasons({ unknown, kept }: Report): SafeText {
  const section = (heading: string, all: readonly string[]) =>
    all.length > 0 ? safe`\n${heading}: ${someOf(all, 20)}\n` : "";
  return safe`${section("Nothing is listed, since anything may be needed", unknown)}${section("More is kept than objects name", kept)}`;
}

function reportText(report: Report): SafeText {
  const { images, bytes, notJudged } = report;
  const rows = images.map(({ repository, digest, tags, bytes: own }) => [
    sentence`${repository}@${digest}`,
    tags.join(", "),
    byteSize(own),
  ]);
  const others = notJudged.map((one) => [`  ${one.repository}`, byteSize(one.bytes)]);
  return safe`${[
    safe`${counted(images.length, "image")} that nothing needs, with at most ${byteSize(bytes)} that no other image has\n`,
    rows.length > 0 ? safe`\n${tableWithHeadings(["IMAGE", "TAGS", "SIZE"], rows)}` : safe``,
    reasons(report),
    others.length > 0 ? safe`\nNot judged (--own judges them):\n${table(others)}` : safe``,
    safe`\nImages that neither a tag nor a list names are invisible here; a registry's garbage collection finds them.\n`,
  ]}`;
}

/** Runs `hubrelay unneeded`: prints the images in registries that nothing needs. Returns the exit code. */
export async function unneeded(scopes: readonly string[], options: UnneededOptions): Promise<number> {
  const { filename, own = [], output } = options;
  const [destination = "", ...others] = scopes;
  if (own.length > 0 && !filename)
    throw new UsageError("--own needs -f, with everything that uses these repositories.");
  if (output === "delete-image-list" && others.length > 0)
    throw new UsageError("-o delete-image-list needs one registry: oc-mirror deletes from one destination.");
  const input = await readInput(filename);
  const run = (hub: HubReader) => find(hub, scopes, input, options);
  const report = await (filename ? run(manifestHub("manifests", input.objects)) : onLiveHub(run));
  if (output === "delete-image-list") {
    if (report.images.some(({ repository }) => repository === destination))
      throw new UsageError(
        sentence`${destination} is a repository, and oc-mirror deletes below a path: name the path above it.`,
      );
    print(reasons(report), process.stderr);
    print(structured(deleteImageList(report.images, destination), "yaml"));
  } else print(rendered(report, output, reportText));
  return report.complete ? exitCodes.fine : exitCodes.issues;
}
