import { onTestFinished } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { aDigestMirrorSet } from "../hub/objects.ts";
import {
  aWorld,
  catalogTags,
  controlPlaneOf,
  guestClusterVersion,
  hypershiftFinalizer,
  imageStreams,
  type World,
} from "./hosted-cluster-hub.ts";

/** Creates a world that is closed after the test. */
export async function aDisposedWorld(
  objects: readonly KubernetesObject[],
  guest: readonly KubernetesObject[] = [],
): Promise<World> {
  const world = await aWorld(objects, guest);
  onTestFinished(() => world.close());
  return world;
}

/** A hub without HyperShift's operators: hubrelay writes. */
export async function ownWorld(
  hostedCluster: KubernetesObject,
  more: readonly KubernetesObject[] = [],
  guest: readonly KubernetesObject[] = [guestClusterVersion()],
): Promise<World> {
  const objects = [hostedCluster, ...controlPlaneOf(hostedCluster), imageStreams, ...more];
  const world = await aDisposedWorld(objects, guest);
  for (const [image, digest] of Object.entries(catalogTags("registry.redhat.io/redhat", "v4.20", 1)))
    world.tags.set(image, digest);
  return world;
}

/** Mirrors of the release's images, where hubrelay writes. */
export const sources = [
  { source: "quay.io/openshift-release-dev/ocp-release", mirrors: ["mirror.corp.example:5000/ocp/release"] },
];

/** The one mirror that affects the hosted cluster of `verifyWorld`, and how HyperShift writes it down. */
export const release = {
  source: "quay.io/openshift-release-dev/ocp-release",
  mirrors: ["m.corp.example/ocp/release"],
};
export const pair = "quay.io/openshift-release-dev/ocp-release=m.corp.example/ocp/release";

export const guestVersion = guestClusterVersion("Build", "Console");
/** The same with the capabilities that the hosted cluster requests. */
export const rightVersion = {
  ...guestVersion,
  spec: {
    ...Object(guestVersion.spec),
    capabilities: { baselineCapabilitySet: "None", additionalEnabledCapabilities: ["Build", "Console"] },
  },
};

type Setting = Readonly<{
  hostedCluster?: KubernetesObject;
  /** The fields of the HostedControlPlane that differ from its HostedCluster. */
  fields?: Readonly<Record<string, unknown>>;
  overrides?: string;
  guest?: readonly KubernetesObject[];
  /** More objects of the hub. */
  objects?: readonly KubernetesObject[];
}>;

/** A hub where HyperShift writes, with one mirror that affects the hosted cluster. */
export async function verifyWorld(setting: Setting = {}): Promise<World> {
  const {
    hostedCluster = aHostedCluster({ metadata: { finalizers: [hypershiftFinalizer] } }),
    fields = {},
    overrides = pair,
    guest = [rightVersion],
    objects = [],
  } = setting;
  const controlPlane = controlPlaneOf(hostedCluster, { overrides, fields });
  const mirrors = aDigestMirrorSet("ocp", [release]);
  return aDisposedWorld([hostedCluster, ...controlPlane, ...objects, mirrors], guest);
}
