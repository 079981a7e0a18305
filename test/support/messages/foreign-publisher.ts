import { imageReferencesPath } from "#shared/domain/hosted-clusters/cluster/release-images.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { type Registry, type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import { aDigestMirrorSet } from "../hub/objects.ts";

/** The release of `aPublisher`, by the tag that hosted clusters request. */
export const digest = `sha256:${"a".repeat(64)}`;
export const tagged = "reg.lan/own/release:4.20.4";
export const rule = (source: string, mirror = "m1.lan") => ({
  source,
  mirrors: [`${mirror}/${source.replace("/", "-")}`],
});
/** One mirror that the release uses, and one that it does not. */
export const mirrorSets = (mirror?: string) => [
  aDigestMirrorSet("art", [rule("reg.lan/own/art", mirror)]),
  aDigestMirrorSet("other", [rule("docker.io/library")]),
];

/** A registry with one release, whose images are all in `reg.lan/own/art`. */
export function aPublisher() {
  const asked: string[] = [];
  const accesses: (RegistryAccess | undefined)[] = [];
  const state = { isDown: false, images: "reg.lan/own/art", digest };
  const registry: Registry = {
    ...noExternalPorts.registry,
    digest: async (image, access) => {
      asked.push(image);
      accesses.push(access);
      if (state.isDown) throw new RegistryError("Unavailable", `${image}: the registry returned 503`);
      return image.startsWith("reg.lan/own/release") ? state.digest : undefined;
    },
    image: async () => ({
      digest,
      listDigest: digest,
      architecture: "amd64",
      os: "linux",
      labels: { "io.openshift.release": "4.20.4" },
      layers: [],
      size: 0,
    }),
    files: async () => {
      const tags = ["cli", "etcd"].map((name) => ({ name, from: { name: `${state.images}@${digest}` } }));
      return new Map([
        [imageReferencesPath, JSON.stringify({ metadata: { name: "4.20.4" }, spec: { tags } })],
      ]);
    },
  };
  return { asked, accesses, state, registry };
}
