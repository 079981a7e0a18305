import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { type Coverage, coverageIssues, type Unread } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { mirrorInputOf } from "#shared/domain/mirrors/configuration.ts";
import { outageOf } from "#shared/domain/mirrors/pull/outage.ts";
import { precacheKinds, precacheReferences } from "#shared/domain/precache-plan/validate-precaching.ts";
import { accessEndIssues, accessEnds } from "#shared/domain/ready/access-ends.ts";
import type { CatalogSelection } from "#shared/domain/ready/catalog-selection.ts";
import { findHostedCluster } from "#shared/domain/ready/hosted-rules.ts";
import { imageSetOf, imagesToMirror } from "#shared/domain/ready/image-set.ts";
import {
  couldNotAsk,
  type ReadyReport,
  readyReport,
  silentInFront,
  unresponsiveRegistries,
} from "#shared/domain/ready/judge.ts";
import type { SignedImage } from "#shared/domain/ready/propose-policies.ts";
import {
  checkSignatures,
  signatureLabel,
  signatureNamespace,
} from "#shared/domain/ready/release-signatures.ts";
import type { WantedImage } from "#shared/domain/ready/wanted-images.ts";
import { type HubReader, ifPermitted } from "#shared/ports/hub.ts";
import { readSignatures } from "#shared/registry/ready/read-signatures.ts";
import { type RunLimits, runBy, runLimits, withoutUnresponsive } from "#shared/registry/run-limits.ts";
import { clusterSides } from "../../io/clusters/cluster-sides.ts";
import { printIssues } from "../../io/issue-text.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { type ManifestsOrHub, manifestsOrHub, type PlacedSide } from "../../io/manifest-source.ts";
import { nodeAccess } from "../../io/node-access.ts";
import { progressBar } from "../../io/progress-bar.ts";
import {
  listedBySide,
  type OfSide,
  ofSide,
  reportClusters,
  withCoverage,
} from "../../io/report/side-lists.ts";
import { joined, print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, structured } from "../../io/structured-output.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { mirrorInputKinds, nodeConfigKinds } from "../mirrors/mirror-input.ts";
import { type AskedNodes, askNodes, plannedSpecs, type Requested } from "./ask-nodes.ts";
import { loginKinds, type NodeOptions, nodeKinds, nodeRules } from "./node-rules.ts";
import { printPolicies, readTrusted, type TrustOptions } from "./print-policies.ts";
import { readyCoverage } from "./ready-coverage.ts";
import { readyTable } from "./ready-text.ts";

export type ReadyOptions = NodeOptions &
  TrustOptions &
  Readonly<{
    /** Paths of `-f`; absent for the live hub. */
    filename?: readonly string[];
    release?: readonly string[];
    cgu?: readonly string[];
    image?: readonly string[];
    catalog?: readonly CatalogSelection[];
    arch?: readonly string[];
    depth: "manifests" | "blobs";
    disconnected?: true;
    pullSecret?: string;
    requireCoverage?: true;
    /** Maximum number of requests to all registries together. */
    maxRequests: number;
    /** Time for all requests to registries together, in milliseconds. */
    timeout: number;
    missing?: "imageset" | "list";
    policies?: true;
    output: "table" | "json";
  }>;

type Found = Readonly<{
  report: ReadyReport;
  unread: readonly Unread[];
  wanted: readonly WantedImage[];
  architectures: readonly string[];
  /** Images for which no policy requires a signature yet, with their signatures. Empty without `--policies`. */
  signed: readonly SignedImage[];
}>;

async function signaturesOn(hub: HubReader): Promise<readonly KubernetesObject[] | undefined> {
  const options = { namespace: signatureNamespace, withLabel: signatureLabel };
  const { found, isPermitted } = await ifPermitted(hub.list(kinds.ConfigMap, options));
  return isPermitted ? (found ?? []) : undefined;
}

const namesImages = ({ release = [], cgu = [], image = [], catalog = [] }: ReadyOptions): boolean =>
  [release, cgu, image, catalog].some(({ length }) => length > 0);

async function requestedBy(options: ReadyOptions, objects: readonly KubernetesObject[]): Promise<Requested> {
  const { release = [], cgu = [], image = [], catalog = [], filename, hosted } = options;
  if (!namesImages(options) && hosted === undefined)
    throw new UsageError("nothing to check: name a --release, --cgu, --image, --catalog or --hosted.");
  const planned = await plannedSpecs(cgu, objects, filename);
  return { ...planned, releases: release, catalogs: catalog, images: image };
}

async function find(
  hub: HubReader,
  objects: readonly KubernetesObject[],
  options: ReadyOptions,
  limits: RunLimits,
): Promise<Found | Readonly<{ refusal: readonly Issue[] }>> {
  const { depth, pullSecret, without } = options;
  const isDisconnected = options.disconnected ?? false;
  const byRelease = !namesImages(options);
  const rules = nodeRules(objects, options, { byRelease });
  if ("refusal" in rules) return rules;
  const requested = await requestedBy(options, objects);
  const { access, issues: accessIssues } = await nodeAccess(hub, rules.cluster, pullSecret);
  const { ociRegistry } = await import("#shared/adapters/oci/oci-registry.ts");
  // One retry is enough for a temporary failure. More retries would delay the result if a registry is unreachable.
  const client = ociRegistry({ environment: process.env, maxAttempts: 2 });
  const registry = runBy(withoutUnresponsive(client), limits.run);
  const bar = progressBar();
  const ofPlans = requested.architectures.length > 0 ? requested.architectures : undefined;
  const asked: AskedNodes[] = [];
  const signed: SignedImage[] = [];
  try {
    for (const { routeOf, ...group } of rules.groups) {
      const releases = byRelease ? group.releases : requested.releases;
      const one = await askNodes({ ...requested, releases }, objects, {
        routeOf,
        architectures: options.arch ?? ofPlans ?? group.architectures,
        registry,
        access,
        cluster: rules.cluster ? undefined : mirrorInputOf(objects),
        depth,
        isDisconnected,
        onProgress: ({ what, done, total }) => bar.show(what, done, total),
      });
      asked.push(one);
      if (options.policies) signed.push(...(await readSignatures(one, { contents: registry, access })));
    }
    const images = asked.flatMap((one) => one.images);
    const complete = images.filter(({ tried }) =>
      tried.every(({ location }) => !limits.cutOff.has(location)),
    );
    const releases = [...new Set(asked.flatMap((one) => one.releases))];
    const signatures = checkSignatures(releases, {
      configMaps: releases.length > 0 ? await signaturesOn(hub) : [],
      isOfManifests: options.filename !== undefined,
      isDisconnected,
    });
    const issues = withoutRepeats([
      ...rules.issues,
      ...requested.issues,
      ...accessIssues,
      ...asked.flatMap((one) => one.issues),
      ...unresponsiveRegistries(complete.flatMap(silentInFront), images.length),
      ...signatures.issues,
      ...accessEndIssues(accessEnds(access, client.certificates ?? new Map()), new Date()),
    ]);
    const bytes = asked.reduce((sum, one) => sum + one.bytes, 0);
    return {
      report: {
        ...readyReport(images, bytes, issues, isDisconnected),
        ...(without ? { outage: outageOf(without, images) } : {}),
      },
      unread: [
        ...signatures.unread,
        ...(complete.length < images.length
          ? [{ what: "images", why: "not-checked", count: images.length - complete.length } as const]
          : []),
      ],
      signed,
      wanted: asked.flatMap((one) => one.wanted),
      architectures: [...new Set(asked.flatMap((one) => one.architectures))],
    };
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

function askedSides(read: ManifestsOrHub, { hosted, cgu = [] }: ReadyOptions): readonly PlacedSide[] {
  const decisive = [
    ...mirrorInputKinds,
    ...nodeConfigKinds,
    ...loginKinds,
    ...(hosted === undefined ? [] : nodeKinds),
    ...(cgu.length === 0 ? [] : [...precacheKinds, ...precacheReferences]),
  ];
  const sides = clusterSides(read, decisive, cgu.length === 0 ? [] : [kinds.ClusterGroupUpgrade]);
  const having =
    hosted === undefined ? sides : sides.filter(({ objects }) => findHostedCluster(objects, hosted));
  return having.length > 0 ? having : sides;
}

type CoveredReport = ReadyReport & OfSide & Readonly<{ coverage: Coverage }>;

const readyJson = (reports: readonly CoveredReport[]): unknown =>
  reports.every(({ side }) => side === undefined) ? reports[0] : { sides: reports };

/** Runs `hubrelay ready`: prints whether the nodes of each cluster can pull the images. Returns the exit code. */
export async function ready(options: ReadyOptions): Promise<number> {
  const { filename, output, missing } = options;
  const isDisconnected = options.disconnected ?? false;
  const trusted = await readTrusted(options);
  const named = options.pool === undefined && options.hosted === undefined ? [] : nodeKinds;
  const optional = [...(named.length > 0 ? [kinds.Infrastructure] : nodeConfigKinds), ...loginKinds];
  const read = await manifestsOrHub(filename, [...mirrorInputKinds, ...named], optional);
  const sides = askedSides(read, options);
  if (options.policies && sides.length > 1)
    throw new UsageError("--policies needs the objects of one cluster.");
  reportClusters(sides);
  const timeUp = AbortSignal.timeout(options.timeout);
  const limits = runLimits({ requests: options.maxRequests, timeUp });
  const found: Found[] = [];
  const reports: CoveredReport[] = [];
  const issues: Issue[] = [];
  for (const side of sides) {
    const run = (hub: HubReader) => find(hub, side.objects, options, limits);
    const one = await (filename ? run(manifestHub("manifests", side.objects)) : onLiveHub(run));
    const own = "refusal" in one ? one.refusal : one.report.issues;
    const placed = side.place([...side.issues, ...own]);
    issues.push(...placed);
    if ("refusal" in one) continue;
    found.push(one);
    const unread = [...read.unread, ...one.unread];
    const given = { ...options, ...read, unread, objects: side.objects, issues: placed };
    reports.push(...ofSide(side, [{ ...one.report, issues: placed, coverage: readyCoverage(given) }]));
  }
  const notCovered = options.requireCoverage
    ? reports.flatMap(({ coverage }) => coverageIssues(coverage))
    : [];
  printIssues([...issues, ...notCovered]);
  if (reports.length === 0) return exitCodes.issues;
  if (missing !== undefined) print(missingText(found, missing));
  else if (options.policies)
    printPolicies(
      found.flatMap(({ signed }) => signed),
      sides.flatMap(({ objects }) => objects),
      trusted,
    );
  else
    print(
      rendered(
        reports,
        output,
        (clean) =>
          listedBySide(clean, (own) =>
            joined(
              own.map(withCoverage((report: ReadyReport) => readyTable(report, isDisconnected))),
              safe``,
            ),
          ),
        readyJson,
      ),
    );
  const exitCode = reports.length < sides.length ? exitCodes.issues : exitCodeOf(reports, isDisconnected);
  return exitCode === exitCodes.fine && notCovered.length > 0 ? exitCodes.issues : exitCode;
}
