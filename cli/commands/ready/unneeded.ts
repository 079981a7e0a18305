import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import type { Unread } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { managedClustersIn } from "#shared/domain/precache-plan/selection/declared-clusters.ts";
import { type Needs, needsOf } from "#shared/domain/ready/needs.ts";
import { deleteImageList, findUnneeded, type Unneeded } from "#shared/domain/ready/unneeded.ts";
import { byteSize, counted } from "#shared/domain/text/human-readable.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { RegistryError } from "#shared/ports/registry.ts";
import { neededImages } from "#shared/registry/ready/needed-images.ts";
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
import { mirrorInputKinds } from "../mirrors/mirror-input.ts";
import { planKinds } from "../precache/plan-inputs.ts";
import { nodeRules } from "./node-rules.ts";

export type UnneededOptions = Readonly<{
  /** Paths of `-f`; absent for the live hub. */
  filename?: readonly string[];
  own?: readonly string[];
  pullSecret?: string;
  timeout: number;
  maxRequests: number;
  output: "table" | "json" | "delete-image-list";
}>;

/** Kinds that name images, read from a hub. All are required: an object that is not read may name any image. */
const namingKinds = [
  ...mirrorInputKinds,
  ...planKinds,
  kinds.HostedCluster,
  kinds.NodePool,
  kinds.MachineConfig,
  kinds.MachineOSConfig,
  kinds.CatalogSource,
  kinds.ClusterCatalog,
  kinds.UpdateService,
];

type Input = Readonly<{
  objects: readonly KubernetesObject[];
  /** Objects inside other objects, such as those in a Policy. */
  held: readonly KubernetesObject[];
  unread: readonly string[];
}>;

/** Reads every definition of every object: objects of several clusters may have the same name. */
async function readInput(filename: readonly string[] | undefined): Promise<Input> {
  const notRead = ({ what }: Unread) => sentence`${what} is not read`;
  if (!filename) {
    const { objects, unread } = await readLiveHub(namingKinds);
    return { objects, held: [], unread: unread.map(notRead) };
  }
  const { tree, unread, damaged } = await readSources(filename);
  const broken = damaged.map(({ object }) => sentence`${object.kind}/${object.metadata.name} cannot be read`);
  return {
    objects: tree.objects.map(({ object }) => object),
    held: tree.embedded.map(({ object }) => object),
    unread: [...unread.map(notRead), ...broken],
  };
}

/** The images that nothing needs: none are listed if `unknown` has a reason why any image may be needed. */
type Report = Unneeded & Readonly<{ complete: boolean; unknown: readonly string[] }> & Pick<Needs, "silent">;

async function find(
  hub: HubReader,
  scopes: readonly string[],
  { objects, held, unread }: Input,
  options: UnneededOptions,
): Promise<Readonly<{ report: Report; issues: readonly Issue[] }>> {
  const { own = [], pullSecret, maxRequests, timeout } = options;
  const rules = nodeRules(objects, {});
  const { access, issues } = await nodeAccess(hub, undefined, pullSecret);
  const { routeOf = () => ({ problem: "the mirror objects are refused" }) } =
    "refusal" in rules ? {} : (rules.groups[0] ?? {});
  const client = ociRegistry({ environment: process.env, maxAttempts: 2 });
  const limits = runLimits({ requests: maxRequests, timeUp: AbortSignal.timeout(timeout) });
  const registry = {
    ...runBy(client, limits.run),
    repositories: (host: string) => limits.run(host, () => client.repositories(host, access)),
    tags: (repository: string) => limits.run(repository, () => client.tags(repository, access)),
  };
  try {
    const repositories = await readInventory(scopes, { registry, access });
    const needs = needsOf([...objects, ...managedClustersIn(objects)], held);
    const expansion = { registry, access, architecture: "amd64", routeOf };
    const needed = await neededImages(needs, repositories, expansion, own.length > 0);
    const found = findUnneeded(repositories, { ...needed, own });
    const unknown = [...new Set([...unread, ...needed.unknown])];
    const listed = unknown.length > 0 ? { ...found, images: [], bytes: 0 } : found;
    return {
      report: { complete: unknown.length === 0, ...listed, unknown, silent: needs.silent },
      issues: [...issues, ...("refusal" in rules ? rules.refusal : [])],
    };
  } catch (error) {
    if (error instanceof RegistryError) throw new UsageError(error.message);
    throw error;
  } finally {
    client.close();
  }
}

function named(heading: string, items: readonly string[]): SafeText {
  return items.length === 0 ? safe`` : safe`\n${heading}: ${someOf(items, 20)}\n`;
}

function reasons({ unknown, silent }: Report): SafeText {
  return safe`${[
    named("Nothing is listed, since anything may be needed", unknown),
    named(
      "Clusters that do not report, and keep every release from two minor versions before their own on",
      silent,
    ),
  ]}`;
}

function reportText(report: Report): SafeText {
  const { images, bytes, notJudged } = report;
  const rows = images.map(({ repository, digest, tags, bytes: own }) => [
    `${repository}@${digest}`,
    tags.join(", "),
    byteSize(own),
  ]);
  const others = notJudged.map(({ repository, bytes: own }) => [`  ${repository}`, byteSize(own)]);
  return safe`${[
    safe`${counted(images.length, "image")} that nothing needs, with at most ${byteSize(bytes)} that no other image has\n`,
    rows.length > 0 ? safe`\n${tableWithHeadings(["IMAGE", "TAGS", "SIZE"], rows)}` : safe``,
    reasons(report),
    others.length > 0 ? safe`\nNot judged (--own judges them):\n${table(others)}` : safe``,
    safe`\nImages that neither a tag nor a list names are invisible here; a registry's garbage collection finds them.\n`,
  ]}`;
}

/**
 * Runs `hubrelay unneeded`: prints the images of registries that nothing needs on standard output, and issues on standard error.
 * Returns the exit code. Throws `UsageError` if a registry or the hub refuses a request.
 */
export async function unneeded(scopes: readonly string[], options: UnneededOptions): Promise<number> {
  const { filename, own = [], output } = options;
  const [destination = "", ...others] = scopes;
  if (own.length > 0 && !filename)
    throw new UsageError("--own needs -f, with everything that uses these repositories.");
  if (output === "delete-image-list" && others.length > 0)
    throw new UsageError("-o delete-image-list needs one registry: oc-mirror deletes from one destination.");
  const input = await readInput(filename);
  const run = (hub: HubReader) => find(hub, scopes, input, options);
  const { report, issues } = await (filename ? run(manifestHub("manifests", input.objects)) : onLiveHub(run));
  printIssues(issues);
  if (output === "delete-image-list") {
    print(reasons(report), process.stderr);
    print(structured(deleteImageList(report.images, destination), "yaml"));
  } else print(rendered(report, output, reportText));
  return report.complete ? exitCodes.fine : exitCodes.issues;
}
