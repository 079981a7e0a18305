import type { NodePool } from "../hosted-clusters/nodes/node-pool.ts";
import {
  decodeReplacements,
  type RegistryReplacements,
  replaceRegistry,
} from "../hosted-clusters/overrides/registry-replacements.ts";
import { tryParseImageReference } from "../images/image-reference.ts";
import type { Unread } from "../issues/coverage.ts";
import { fieldsOf, isSameJson, listOf, ownValue, textOf } from "../kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { publishedRepositories } from "../mirrors/input/release-repositories.ts";
import { sentence } from "../text/redact.ts";
import type { RolloutCause } from "./rollout-causes.ts";

type Operator = Readonly<{ replacements: RegistryReplacements; hasSharedIngress: boolean }>;

/** The ConfigMap with MulticlusterEngine's flags for the installation of HyperShift. */
const installFlags = "hypershift-operator-install-flags";
const flag = /(?:^|\s)--registry-overrides(?:=|\s+)["']?([^\s"']+)/;

/** The annotation that sets the HAProxy image of a NodePool. Registry overrides do not change this image. */
const ownImage = "hypershift.openshift.io/haproxy-image";
const canonicalImages = "hypershift.openshift.io/canonical-data-plane-images";

function containersOf({ spec }: KubernetesObject): readonly Readonly<Record<string, unknown>>[] {
  return listOf(fieldsOf(fieldsOf(fieldsOf(spec).template).spec).containers).map(fieldsOf);
}

function operatorIn(objects: readonly KubernetesObject[]): Operator | undefined {
  const containers = objects
    .filter((object) => isKind(kinds.Deployment, object) && object.metadata.name === "operator")
    .flatMap(containersOf)
    .filter(({ name }) => name === "operator");
  const texts = [
    ...containers.map(({ command, args }) => [...listOf(command), ...listOf(args)].join(" ")),
    ...objects
      .filter((object) => isKind(kinds.ConfigMap, object) && object.metadata.name === installFlags)
      .map((object) => textOf(fieldsOf(ownValue(object, "data")).installFlagsToAdd) ?? ""),
  ];
  if (texts.length === 0) return undefined;
  const value = texts.flatMap((text) => flag.exec(text)?.[1] ?? [])[0];
  return {
    replacements: decodeReplacements(value ?? "") ?? new Map(),
    hasSharedIngress: containers.some(({ env }) =>
      listOf(env).some((one) => isSameJson(one, { name: "MANAGED_SERVICE", value: "ARO-HCP" })),
    ),
  };
}

/**
 * Returns a function that says why changed registry overrides of HyperShift's operator, which rename HAProxy's image in
 * the nodes' configuration, roll out a node pool. The result is empty if they do not, or if a side lacks the operator.
 * Source: hypershift main, hypershift-operator/controllers/nodepool/nodepool_controller.go:1169.
 */
export function overrideCauses(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): (pool: NodePool) => readonly RolloutCause[] {
  const [old, now] = [operatorIn(before), operatorIn(after)];
  return ({ object, releaseImage, version }) => {
    const { annotations = {} } = object.metadata;
    if (!old || !now || now.hasSharedIngress || annotations[canonicalImages] === "true") return [];
    if (annotations[ownImage] !== undefined) return [];
    const release = tryParseImageReference(releaseImage)?.repository;
    const images =
      release === undefined ? [] : (publishedRepositories(release, version ?? undefined) ?? [release]);
    const changed = images.find(
      (image) => replaceRegistry(image, old.replacements) !== replaceRegistry(image, now.replacements),
    );
    if (changed === undefined) return [];
    const target = replaceRegistry(changed, now.replacements);
    const text = sentence`HyperShift's --registry-overrides gives ${changed} the name ${target}, which is in the HAProxy of its nodes. With the annotation ${canonicalImages}: "true" it is not.`;
    return [{ field: "--registry-overrides", text }];
  };
}

/** Returns an Unread for `--registry-overrides` if there are NodePools, but a side lacks HyperShift's operator. */
export function absentOverrides(...sides: readonly (readonly KubernetesObject[])[]): readonly Unread[] {
  const hasPools = sides.flat().some((object) => isKind(kinds.NodePool, object));
  if (!hasPools || sides.every((side) => operatorIn(side))) return [];
  return [{ what: "--registry-overrides of HyperShift's operator", why: "not-given", count: 1 }];
}
