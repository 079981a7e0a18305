import { writerOf } from "#functions/mirror-config/ownership.ts";
import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import { reportHostedClusters } from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import { requestIssues } from "#shared/domain/hosted-clusters/ownership.ts";
import { unknownHostedFields } from "#shared/domain/hosted-clusters/validation/refusals.ts";
import { unknownAnnotations } from "#shared/domain/issues/annotations.ts";
import {
  type Assumption,
  countedKinds,
  coverageOf,
  type Unread,
  unreadKinds,
  unreadOfIssues,
} from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { sizeIssues } from "#shared/domain/issues/object-size.ts";
import { refusingUnknown } from "#shared/domain/issues/unknown-fields.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import {
  displayName,
  isKind,
  isOfAnyVersion,
  isOneOf,
  type Kind,
  type KubernetesObject,
  kinds,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import type { DamagedObject } from "#shared/domain/manifests/located-object.ts";
import { assumedPayload, clusterAssumptions } from "#shared/domain/mirrors/assumptions.ts";
import {
  configureMirrors,
  type MirrorInput,
  mirrorInputOf,
  shownConfiguration,
} from "#shared/domain/mirrors/configuration.ts";
import { configurePools } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import { trustedCaIssues, trustedCaName } from "#shared/domain/mirrors/input/trusted-ca.ts";
import { writesPullFiles } from "#shared/domain/openshift/machine-config/pool-files.ts";
import { clusterDeclarations } from "#shared/domain/precache-plan/selection/declared-clusters.ts";
import {
  checkPrecaching,
  precacheKinds,
  precacheReferences,
} from "#shared/domain/precache-plan/validate-precaching.ts";
import { windowIssues, windowKinds } from "#shared/domain/windows/validate-windows.ts";
import type { ManifestsOrHub, PlacedSide } from "../../io/manifest-source.ts";
import { assumedOnce, type OfSide, ofSide } from "../../io/report/side-lists.ts";
import type { ValidationReport } from "../../io/report/validation-report.ts";
import { type CheckOptions, type ObjectChecks, objectChecks } from "../hosted/hosted-cluster-check.ts";
import {
  mirrorInputKinds,
  namedRelease,
  nodeConfigKinds,
  type ReleaseOptions,
  withRelease,
} from "./mirror-input.ts";

/** Objects of every API version are checked, since an unexpected version is an issue. */
const checkedKinds: readonly Kind[] = [
  ...mirrorInputKinds,
  kinds.HostedCluster,
  kinds.NodePool,
  ...windowKinds,
  ...precacheKinds,
  ...precacheReferences,
  ...clusterDeclarations,
];
/** The kinds listed on a hub: without OCM Policies, read by name, and kinds that only declare clusters in files. */
export const hubKinds = [...new Set(checkedKinds)].filter(
  (kind) => kind !== kinds.Policy && !clusterDeclarations.some((one) => one === kind),
);

const groupAndKind = ({ apiVersion, kind }: Pick<Kind, "apiVersion" | "kind">): string =>
  `${apiVersion.split("/")[0]}/${kind}`;
const checkedNames = new Set(checkedKinds.map(groupAndKind));

/** Codes of issues about rules that HyperShift ignores, but that nodes of the management cluster use. */
const unreadByHypershift: readonly string[] = ["IgnoredKind", "IgnoredPolicy"];

function hostedIssues(objects: readonly KubernetesObject[], known: readonly Issue[]): readonly Issue[] {
  const hostedClusters = objects.filter((object) => isOfAnyVersion(kinds.HostedCluster, object));
  if (hostedClusters.length === 0) return [];
  const issues = [...hostedClusters.flatMap(requestIssues), ...reportHostedClusters(objects).issues];
  const fieldOf = ({ object, path }: Issue) => [displayName(object), path].join(" ");
  // A field gets only one issue: the API server's checks may have found the same error.
  const knownFields = new Set(known.map(fieldOf));
  return issues.filter(
    (issue) => !knownFields.has(fieldOf(issue)) && !unreadByHypershift.includes(issue.code),
  );
}

/** Reports whether an invalid name is an object's only error. The rest of such an object is still checked. */
const isMisnamed = ({ issues }: DamagedObject): boolean => issues.every(({ code }) => code === "InvalidName");

type JudgedSide = Pick<PlacedSide, "objects" | "damaged" | "issues" | "origin" | "named">;

type Judged = Readonly<{
  issues: readonly Issue[];
  unread: readonly Unread[];
  assumed: readonly Assumption[];
}>;

type ClusterChecks = CheckOptions & ReleaseOptions;

/** The report, and the clusters that the settings name. */
export type Checked = Readonly<{ report: ValidationReport; clusters: readonly Readonly<{ name: string }>[] }>;

const configuresNodes = isOneOf([...mirrorKinds, kinds.Image]);

/** Assumes nothing of a hosted cluster: its management cluster has its release. */
function assumptionsOf(
  input: MirrorInput,
  origin: PlacedSide["origin"],
  isWhole: boolean,
): readonly Assumption[] {
  if (origin === "guest" || !input.objects.some(configuresNodes)) return [];
  return clusterAssumptions(input, { isWhole, pools: "pools master and worker" });
}

function judgedSide(
  { objects: valid, damaged, issues, origin, named }: JudgedSide,
  { files }: Pick<ManifestsOrHub, "files">,
  checks: ObjectChecks,
  options: ClusterChecks,
): Judged {
  const isWhole = files === undefined;
  const objects = [...valid, ...damaged.filter(isMisnamed).map(({ object }) => object)];
  const input = mirrorInputOf(objects);
  const release = withRelease(options, named?.release);
  const ofRelease = { ...input, ...namedRelease(release) };
  const configuration = shownConfiguration(configureMirrors(ofRelease, { writer: writerOf(objects) }));
  const mirrors = [
    ...configuration.issues,
    ...configurePools(ofRelease, configuration).issues,
    ...assumedPayload(ofRelease),
    ...trustedCaIssues(objects, input.image),
  ];
  const refusals = checks.issuesOf(valid);
  const windows = windowIssues(objects, new Date(), { isWhole });
  const precaching = checkPrecaching(objects, { isWhole });
  const found = [...issues, ...mirrors, ...windows, ...precaching.issues, ...refusals];
  const hosted = hostedIssues(objects, found);
  const unknown = objects.flatMap(unknownAnnotations);
  // API servers refuse objects that are too large, and remove unknown fields, so a hub has neither.
  const ofFiles = isWhole ? [] : objects.flatMap((one) => [...sizeIssues(one), ...unknownHostedFields(one)]);
  const all = withoutRepeats([...found, ...hosted, ...unknown, ...ofFiles]);
  return {
    issues: refusingUnknown(all),
    unread: precaching.unread,
    assumed: assumptionsOf(ofRelease, origin, isWhole),
  };
}

/** An object that is checked alone gets none of these issues, since the missing object may be elsewhere. */
const ofReferences: readonly string[] = ["PreCachingConfigMissing", "WindowMissing"];

function judgedParts(
  side: PlacedSide,
  read: ManifestsOrHub,
  checks: ObjectChecks,
  options: ClusterChecks,
): Judged {
  const together = judgedSide(side, read, checks, options);
  const issues = [...side.place(together.issues)];
  const assumed = [...together.assumed];
  for (const { object, place } of side.alone) {
    const one = { ...side, objects: [object], damaged: [], issues: [] };
    const judged = judgedSide(one, read, checks, options);
    issues.push(...place(judged.issues.filter(({ code }) => !ofReferences.includes(code))));
    if (side.objects.length === 0) assumed.push(...judged.assumed);
  }
  return { issues, unread: together.unread, assumed };
}

/** Returns each issue once, with the name of its cluster only if no other cluster has the same issue. */
function sharedOnce(found: readonly (Issue & OfSide)[], clusters: number): readonly Issue[] {
  const same = Map.groupBy(found, ({ side: _, ...issue }) => JSON.stringify(issue));
  return [...same.values()].flatMap((all) =>
    all.slice(0, 1).map(({ side, ...issue }) => ({
      ...issue,
      ...(all.length === 1 && clusters > 1 && side !== undefined ? { side } : {}),
    })),
  );
}

/** The kinds that separate clusters: different objects of the same kind and name belong to several clusters. */
export const clusterKinds = [...new Set([...checkedKinds, ...nodeConfigKinds])];

/** Returns all issues of manifests or of a hub. Each cluster is checked separately. */
export async function checkAll(read: ManifestsOrHub, options: ClusterChecks): Promise<Checked> {
  const sides = read.sides(clusterKinds);
  const located = [...new Set(sides.flatMap((side) => side.located))];
  const checks = await objectChecks(
    located.map(({ object }) => object),
    options,
  );
  const found: (Issue & OfSide)[] = [...read.issues];
  const assumed: (Assumption & OfSide)[] = [];
  const notPlanned: Unread[] = [];
  for (const side of sides) {
    const judged = judgedParts(side, read, checks, options);
    found.push(...(side.named ? ofSide(side.named, judged.issues) : judged.issues));
    assumed.push(...ofSide(side, judged.assumed));
    notPlanned.push(...judged.unread);
  }
  const trusted = new Set(located.map(({ object }) => isKind(kinds.Image, object) && trustedCaName(object)));
  const named = new Set(sides.flatMap((side) => side.named?.name ?? []));
  const issues = sharedOnce(read.place(found), named.size);
  // An object is reported as checked, whatever its kind, if it has an issue or contains other objects.
  const ofContents = [...read.embedded, ...read.damaged].flatMap(({ within }) => within ?? []);
  const readNames = new Set([...issues.map(({ object }) => object), ...ofContents].map(displayName));
  const isChecked = (object: KubernetesObject) =>
    checkedNames.has(groupAndKind(object)) ||
    readNames.has(displayName(referenceTo(object))) ||
    (isKind(kinds.ConfigMap, object) && trusted.has(object.metadata.name)) ||
    (isKind(kinds.MachineConfig, object) && writesPullFiles(object));
  const checked = [...located.filter(({ object }) => isChecked(object)), ...read.damaged];
  const others = located.filter(({ object }) => !isChecked(object));
  const unreadNames = new Set(read.unread.map(({ what }) => what));
  const unread = others.filter(
    ({ object }) =>
      !isKind(kinds.MachineConfig, object) && !unreadNames.has(displayName(referenceTo(object))),
  );
  const embedded = new Set<unknown>(read.embedded);
  const report = {
    issues,
    accepted: [],
    checked: checked.map(({ object }) => ({ object, files: read.filesOf(object) })),
    files: read.files,
    ignored: read.ignored + others.filter((one) => !embedded.has(one)).length,
    coverage: coverageOf({
      read: countedKinds(checked.map(({ object }) => object)),
      unread: [
        ...read.unread,
        ...checks.unread,
        ...notPlanned,
        ...unreadKinds(unread.map(({ object }) => object)),
        ...unreadOfIssues(issues, read.nameOf),
      ],
      assumed: assumedOnce(assumed, new Set([...named, ...assumed.map(({ side = "" }) => side)]).size),
      enforced: read.enforced,
    }),
  };
  return { report, clusters: [...named].map((name) => ({ name })) };
}
