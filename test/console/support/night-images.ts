import { aDigestMirrorSet } from "../../support/hub/objects.ts";
import { heldImage, heldRegistry, heldRelease } from "../../support/servers/held-registry.ts";

export const hubRegistry = "registry.hub.example.com:8443";
const edgeRegistry = (site: string) => `registry.${site}.example.com:5000`;
export const releaseSource = "quay.io/openshift-release-dev/ocp-release";

/** A registry that has the release of the fleet, and lacks a part of the next one. */
export function mirrorRegistry() {
  const { registry, images } = heldRegistry();
  const releaseOf = (version: string, first: number, held: (index: number) => boolean) => {
    const parts = Array.from({ length: 24 }, (_, index) => heldImage({ content: `${first + index}` }));
    for (const [index, part] of parts.entries())
      if (held(index)) images.set(`${hubRegistry}/openshift/release:${version}-${index}`, part);
    const release = heldRelease(
      parts.map(({ digest }) => `quay.io/openshift-release-dev/ocp-v4.0-art-dev@${digest}`),
    );
    images.set(`${hubRegistry}/openshift/release-images:${version}`, release);
    return `${releaseSource}@${release.digest}`;
  };
  return {
    registry,
    present: releaseOf("4.20.3", 0, () => true),
    next: releaseOf("4.20.4", 100, (index) => index % 5 !== 1),
  };
}

export const edgeMirrors = aDigestMirrorSet("edge-release", [
  {
    source: releaseSource,
    mirrors: [edgeRegistry("bergen"), edgeRegistry("oslo")].map((host) => `${host}/openshift/release-images`),
  },
  {
    source: "registry.access.redhat.com/ubi9",
    mirrors: [edgeRegistry("oslo"), edgeRegistry("tromso")].map((host) => `${host}/cache/ubi9`),
  },
]);
