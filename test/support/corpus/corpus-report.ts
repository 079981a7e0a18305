import {
  type HostedClusterReport,
  reportHostedClusters,
} from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import { unknownHostedFields } from "#shared/domain/hosted-clusters/validation/refusals.ts";
import { validateHostedCluster } from "#shared/domain/hosted-clusters/validation/validate-hosted-cluster.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isKind, type KubernetesObject, kindOf, kinds } from "#shared/domain/kubernetes/object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { configureMirrors, shownConfiguration } from "#shared/domain/mirrors/configuration.ts";
import { convertMirrorPolicies } from "#shared/domain/mirrors/convert/convert.ts";
import { type RegistryEntry, scopeOf } from "#shared/domain/mirrors/registries-conf/registries-conf.ts";
import { storedSpec } from "#shared/domain/precache-model/precaching-spec.ts";
import { planAll } from "#shared/domain/precache-plan/plan-all.ts";
import { planInputsOf } from "#shared/domain/precache-plan/plan-input.ts";
import { notQueried } from "#shared/domain/precache-plan/policies/update-graph.ts";
import { otherVersionIssues } from "#shared/domain/precache-plan/validate-precaching.ts";
import { sidesOf } from "../../../cli/io/clusters/sides.ts";
import { defaultCapabilities } from "../../../shared/domain/hosted-clusters/fixtures.ts";

type Lines = readonly string[];

/** The version of every hub here, so that plans do not report that it is unknown. */
const hubVersion = "4.18.9";

const nameOf = ({ kind, metadata: { namespace, name } }: Pick<KubernetesObject, "kind" | "metadata">) =>
  `${kind}/${namespace ? `${namespace}/` : ""}${name}`;

function issueLine({ severity, code, object: { kind, namespace, name }, path }: Issue): string {
  return `${severity} ${code} ${nameOf({ kind, metadata: { ...(namespace ? { namespace } : {}), name } })} ${path}`.trim();
}

const issueLines = (issues: readonly Issue[]): Lines => [...new Set(issues.map(issueLine))];

function entryLines(entry: RegistryEntry): Lines {
  const mirrors = entry.mirrors.map(
    ({ location, pullFromMirror }) => `  ${pullFromMirror || "any"} ${location}`,
  );
  return [`${scopeOf(entry)}${entry.blocked ? " (blocked)" : ""}`, ...mirrors];
}

/** The heading and below it the lines; nothing where there are none. */
function section(heading: string, lines: Lines): Lines {
  return lines.length === 0 ? [] : [`${heading}:`, ...lines.map((line) => `  ${line}`)];
}

function mirrorSections(objects: readonly KubernetesObject[]): Lines {
  const { refused, issues, entries, applied, leftOut } = shownConfiguration(configureMirrors({ objects }));
  return [
    ...(refused ? ["refused"] : []),
    ...(applied + leftOut > 0 ? [`mirror rules: ${applied} applied, ${leftOut} left out`] : []),
    ...section("mirror issues", issueLines(issues)),
    ...section("registries", entries.flatMap(entryLines)),
  ];
}

/** The object and the number of its rules. */
function convertedLine({ kind, metadata: { name }, spec }: KubernetesObject): string {
  const { imageDigestMirrors, imageTagMirrors } = Object(spec);
  return `${kind}/${name} (${[imageDigestMirrors ?? imageTagMirrors ?? []].flat().length} rules)`;
}

function convertSections(objects: readonly KubernetesObject[]): Lines {
  const policies = objects.filter(
    ({ kind, spec }) => kind.endsWith("Policy") && kind.startsWith("Image") && spec,
  );
  if (policies.length === 0) return [];
  const existing = objects.filter(({ kind }) => kind.endsWith("MirrorSet"));
  const converted = convertMirrorPolicies(policies, existing);
  return [
    ...section("converted to", converted.objects.map(convertedLine)),
    ...section("convert issues", issueLines(converted.issues)),
  ];
}

function precacheSections(objects: readonly KubernetesObject[]): Lines {
  const otherVersions = otherVersionIssues(objects);
  const inputs = planInputsOf(objects, hubVersion).map((input) => ({
    ...input,
    lookup: () => notQueried,
  }));
  const plans = planAll(inputs).map(({ plan }) => plan);
  return [
    ...section("precache issues", issueLines(otherVersions)),
    ...plans.flatMap(({ namespace, name, clusters, spec, conditions, issues }) =>
      section(`precache plan ${namespace}/${name}`, [
        ...clusters.map((cluster) => `${cluster.action} ${cluster.name}`),
        ...Object.entries(storedSpec(spec)).map(([field, value]) => `${field}: ${[value].flat().join(", ")}`),
        ...conditions.map(({ type, status, reason }) => `condition ${type}=${status} ${reason}`),
        ...issueLines(issues),
      ]),
    ),
  ];
}

/** The capabilities by their difference to the usual ones; none where the control plane writes none. */
function capabilityLine(capabilities: HostedClusterReport["capabilities"]): string {
  if (!capabilities) return "capabilities: all of the release";
  const enabled = capabilities.additionalEnabledCapabilities ?? [];
  const off = defaultCapabilities.filter((name) => !enabled.includes(name));
  const more = enabled.filter((name) => !defaultCapabilities.includes(name));
  const without = off.length > 0 ? `, without ${off.join(", ")}` : "";
  return `capabilities: the usual${without}${more.length > 0 ? `, with ${more.join(", ")}` : ""}`;
}

function hostedSections(objects: readonly KubernetesObject[]): Lines {
  return reportHostedClusters(objects).clusters.flatMap((report) => {
    const { namespace, name, capabilities, registryOverrides, olmCatalogs, imageContentSources } = report;
    const own = objects.filter(
      (object) => isKind(kinds.HostedCluster, object) && object.metadata.name === name,
    );
    const unknown = objects.flatMap(unknownHostedFields);
    const overrides = Object.entries(registryOverrides);
    return section(`hosted cluster ${namespace}/${name}`, [
      capabilityLine(capabilities),
      ...overrides.map(([source, mirrors]) => `override ${source} = ${mirrors.join(", ")}`),
      ...imageContentSources.map(({ source, mirrors }) => `content source ${source} = ${mirrors.join(", ")}`),
      ...olmCatalogs.map(({ name: catalog, image }) => `catalog ${catalog} = ${image}`),
      ...issueLines([
        ...report.issues,
        ...own.flatMap((object) => validateHostedCluster(object)),
        ...unknown,
      ]),
    ]);
  });
}

/** What hubrelay makes of a text of manifests, in lines for a reader: issues by code and path, never by message. */
export function corpusReport(text: string): string {
  const read = readManifests(text, "file.yaml");
  const inOneFolder = { folderOf: () => "", pathBelow: () => "", pathOf: () => "", clusters: [] };
  const tree = { objects: read.objects, embedded: [], ...inOneFolder };
  const [side] = sidesOf(tree, (object) => kindOf(object) !== undefined);
  const objects = side?.objects.map(({ object }) => object) ?? [];
  const lines = [
    ...section("objects", objects.map(nameOf)),
    ...section("unreadable", issueLines([...read.issues, ...(side?.issues ?? [])])),
    ...mirrorSections(objects),
    ...convertSections(objects),
    ...precacheSections(objects),
    ...hostedSections(objects),
  ];
  return `${lines.join("\n") || "nothing"}\n`;
}
