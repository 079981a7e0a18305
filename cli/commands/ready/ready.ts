import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { isDigest } from "#shared/domain/images/image-reference.ts";
import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { NodeFile } from "#shared/domain/machine-config/node-file.ts";
import { precacheKinds, precacheReferences } from "#shared/domain/precache/plan/validate-precaching.ts";
import type { CatalogSelection } from "#shared/domain/ready/catalog.ts";
import { findHostedCluster } from "#shared/domain/ready/hosted-rules.ts";
import { imageSetOf, imagesToMirror } from "#shared/domain/ready/image-set.ts";
import { type ImageRoute, lookupRoute } from "#shared/domain/ready/locations.ts";
import {
  isSignatureConfigMap,
  signatureLabel,
  signatureNamespace,
  signedDigests,
  unsignedRelease,
} from "#shared/domain/ready/release-signatures.ts";
import { couldNotAsk, type ReadyReport, readyReport } from "#shared/domain/ready/report.ts";
import { silentInFront, unresponsiveRegistries } from "#shared/domain/ready/unresponsive.ts";
import { isUnknownVersion, mergeWanted, type WantedImage } from "#shared/domain/ready/wanted-images.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { ifPermitted } from "#shared/ports/if-permitted.ts";
import { checkImages } from "#shared/registry/ready/check-images.ts";
import { withoutUnresponsive } from "#shared/registry/skip-unresponsive.ts";
import {
  chosenSide,
  clusterSides,
  listedBySide,
  type NamedSide,
  type OfSide,
  ofSide,
  reportClusters,
} from "../../io/clusters/cluster-sides.ts";
import { printIssues } from "../../io/issue-text.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { type ManifestsOrHub, manifestsNodeOrHub } from "../../io/manifest-source.ts";
import { nodeAccess } from "../../io/node-access.ts";
import { progressBar } from "../../io/progress-bar.ts";
import { joined, print, type SafeText, safe, verbatim } from "../../io/safe-text.ts";
import { rendered, structured } from "../../io/structured-output.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { mirrorInputKinds, nodeConfigKinds } from "../mirrors/mirror-input.ts";
import { loginKinds, type NodeOptions, nodeKinds, nodeRules } from "./node-rules.ts";
import { readyJunit, readyTable } from "./ready-text.ts";
import { plannedSpecs, type Requested, wantedImages } from "./wanted.ts";

export type ReadyOptions = NodeOptions &
  Readonly<{
    /** Absent: the live hub. */
    filename?: readonly string[];
    release?: readonly string[];
    cgu?: readonly string[];
    image?: readonly string[];
    catalog?: readonly CatalogSelection[];
    arch?: readonly string[];
    depth: "manifests" | "blobs";
    disconnected?: true;
    pullSecret?: string;
    missing?: "imageset" | "list";
    output: "table" | "json" | "junit";
    issues: "text" | "json";
  }>;

/** The report, and what `--missing` needs besides. */
type Found = Readonly<{
  report: ReadyReport;
  wanted: readonly WantedImage[];
  architectures: readonly string[];
}>;

function unreadableName(image: string, problem: string): Issue {
  return fieldIssue({ kind: "Image", name: image }, "", image, {
    code: "UnreadableImageName",
    message: problem,
    remedy: "Name the image in full, as host/path@sha256:DIGEST or host/path:tag.",
  });
}

/** Returns the issues of releases that no signature ConfigMap covers. */
async function releaseSignatures(
  hub: HubReader,
  releases: readonly string[],
  { filename, disconnected }: ReadyOptions,
): Promise<readonly Issue[]> {
  const isDisconnected = disconnected ?? false;
  const digests = releases.flatMap((release) => {
    const [, digest = ""] = release.split("@");
    return isDigest(digest) ? [{ release, digest }] : [];
  });
  if (digests.length === 0) return [];
  const options = { namespace: signatureNamespace, withLabel: signatureLabel };
  const { found, isPermitted } = await ifPermitted(hub.list(kinds.ConfigMap, options));
  // Manifests of mirrors need not have the signatures with them.
  const isKnown = isPermitted && (!filename || isDisconnected || (found?.length ?? 0) > 0);
  if (!isKnown) return [];
  const signed = signedDigests((found ?? []).filter(isSignatureConfigMap));
  return digests
    .filter(({ digest }) => !signed.has(digest))
    .map(({ release, digest }) => unsignedRelease(release, digest, isDisconnected));
}

async function requestedBy(
  options: ReadyOptions,
  objects: readonly KubernetesObject[],
  ofCluster: string | undefined,
): Promise<Requested> {
  const { release = [], cgu = [], image = [], catalog = [], filename } = options;
  const planned = await plannedSpecs(cgu, objects, filename);
  const isNothing = [release, cgu, image, catalog].every(({ length }) => length === 0);
  const releases = isNothing && ofCluster ? [ofCluster] : release;
  if (isNothing && releases.length === 0)
    throw new UsageError("nothing to check: name a --release, --cgu, --image, --catalog or --hosted.");
  return { ...planned, releases, catalogs: catalog, images: image };
}

async function find(
  hub: HubReader,
  objects: readonly KubernetesObject[],
  nodeFiles: readonly NodeFile[],
  options: ReadyOptions,
): Promise<Found | Readonly<{ refusal: readonly Issue[] }>> {
  const { depth, pullSecret, arch } = options;
  const isDisconnected = options.disconnected ?? false;
  const rules = nodeRules(objects, options, nodeFiles);
  if ("refusal" in rules) return rules;
  const { routeOf, cluster } = rules;
  const requested = await requestedBy(options, objects, cluster?.releaseImage);
  const ofPlans = requested.architectures.length > 0 ? requested.architectures : rules.architectures;
  const architectures = arch ?? ofPlans;
  const { access, issues: accessIssues } = await nodeAccess(hub, cluster, pullSecret);
  const { ociRegistry } = await import("#shared/adapters/oci/oci-registry.ts");
  // One retry: what passes is over then, and an unreachable registry is not waited for.
  const client = ociRegistry({ environment: process.env, maxAttempts: 2 });
  const registry = withoutUnresponsive(client);
  const bar = progressBar();
  try {
    const architecture = architectures[0] ?? "amd64";
    const expansion = { registry, access, architecture, architectures, routeOf };
    const named = await wantedImages(requested, objects, architectures, expansion);
    const wanted = mergeWanted(named.images);
    const routes = wanted.map(({ image, origins }) => {
      const route = routeOf(image);
      const isVersionTag = !("problem" in route) && origins.some(isUnknownVersion);
      return { image, route: isVersionTag ? lookupRoute(route) : route };
    });
    const unreadable = routes.flatMap(({ image, route }) =>
      "problem" in route ? [unreadableName(image, route.problem)] : [],
    );
    const readable = routes.flatMap(({ route }): readonly ImageRoute[] =>
      "problem" in route ? [] : [route],
    );
    const { images, bytes } = await checkImages(readable, {
      contents: registry,
      access,
      architectures,
      depth,
      isDisconnected,
      onProgress: ({ what, done, total }) => bar.show(what, done, total),
    });
    const issues = [
      ...rules.issues,
      ...requested.issues,
      ...accessIssues,
      ...named.issues,
      ...unreadable,
      ...unresponsiveRegistries(images.flatMap(silentInFront), images.length),
      ...(await releaseSignatures(hub, named.releases, options)),
    ];
    return { report: readyReport(images, bytes, issues, isDisconnected), wanted, architectures };
  } finally {
    bar.clear();
    client.close();
  }
}

function missingText(found: readonly Found[], format: "imageset" | "list"): SafeText {
  const missing = [...new Set(found.flatMap(({ report }) => imagesToMirror(report.images)))];
  if (format === "list") return safe`${missing.map((image) => safe`${image}\n`)}`;
  const architectures = [...new Set(found.flatMap((one) => one.architectures))];
  const wanted = found.flatMap((one) => one.wanted);
  return structured(imageSetOf(missing, wanted, architectures), "yaml");
}

function exitCodeOf(reports: readonly ReadyReport[], isDisconnected: boolean): number {
  const notReady = reports.filter((report) => !report.ready);
  if (notReady.length === 0) return exitCodes.fine;
  return notReady.every((report) => couldNotAsk(report, isDisconnected)) ? exitCodes.usage : exitCodes.issues;
}

/** Returns the clusters whose nodes are asked about: with the named HostedCluster, those that have it. */
function askedSides(
  read: ManifestsOrHub & Readonly<{ nodeFiles: readonly NodeFile[] }>,
  { hosted, cgu = [] }: ReadyOptions,
): readonly NamedSide[] {
  const decisive = [
    ...mirrorInputKinds,
    ...nodeConfigKinds,
    ...loginKinds,
    ...(hosted === undefined ? [] : nodeKinds),
    ...(cgu.length === 0 ? [] : [...precacheKinds, ...precacheReferences]),
  ];
  // A node has its files, whatever lies beside them.
  if (read.nodeFiles.length > 0) return [chosenSide(read, decisive)];
  const sides = clusterSides(read, decisive);
  const having =
    hosted === undefined ? sides : sides.filter(({ objects }) => findHostedCluster(objects, hosted));
  return having.length > 0 ? having : sides;
}

const readyJson = (reports: readonly (ReadyReport & OfSide)[]): unknown =>
  reports.every(({ side }) => side === undefined) ? reports[0] : { sides: reports };

/**
 * Runs `hubrelay ready`: prints whether nodes can pull the images on standard output, of each cluster where there are
 * several, and issues on standard error. Returns the exit code.
 */
export async function ready(options: ReadyOptions): Promise<number> {
  const { filename, output, issues: format, missing } = options;
  const isDisconnected = options.disconnected ?? false;
  const named = options.pool === undefined && options.hosted === undefined ? [] : nodeKinds;
  const optional = [...(named.length > 0 ? [] : nodeConfigKinds), ...loginKinds];
  const read = await manifestsNodeOrHub(filename, [...mirrorInputKinds, ...named], optional);
  const sides = askedSides(read, options);
  reportClusters(sides, format);
  const found: Found[] = [];
  const reports: (ReadyReport & OfSide)[] = [];
  const issues: Issue[] = [];
  for (const side of sides) {
    const run = (hub: HubReader) => find(hub, side.objects, read.nodeFiles, options);
    const one = await (filename ? run(manifestHub("manifests", side.objects)) : onLiveHub(run));
    const own = "refusal" in one ? one.refusal : one.report.issues;
    const placed = side.place([...side.issues, ...own]);
    issues.push(...placed);
    if ("refusal" in one) continue;
    found.push(one);
    reports.push(...ofSide(side, [{ ...one.report, issues: placed }]));
  }
  printIssues(issues, format);
  if (reports.length === 0) return exitCodes.issues;
  if (missing !== undefined) print(missingText(found, missing));
  else
    print(
      rendered(
        reports,
        output,
        (clean) =>
          output === "junit"
            ? verbatim(readyJunit(clean, isDisconnected))
            : listedBySide(clean, (own) =>
                joined(
                  own.map((report) => readyTable(report, isDisconnected)),
                  safe``,
                ),
              ),
        readyJson,
      ),
    );
  return reports.length < sides.length ? exitCodes.issues : exitCodeOf(reports, isDisconnected);
}
