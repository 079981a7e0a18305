import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { anImageConfig } from "../hub/objects.ts";
import { type ScriptedImage, scriptedImage } from "../servers/scripted-registry.ts";

/** The image of a release with these components. */
export async function aStoredRelease(
  version: string,
  components: readonly ScriptedImage[],
): Promise<ScriptedImage> {
  const tags = components.map(({ digest }, index) => ({
    name: `c${index}`,
    from: { name: `quay.io/art@${digest}` },
  }));
  return scriptedImage({
    labels: { "io.openshift.release": version },
    layers: [{ "release-manifests/image-references": JSON.stringify({ spec: { tags } }), version }],
  });
}

/** A hub that runs the image of a release, and pulls from this registry without TLS. */
export function aHubThatRuns(host: string, version: string, image: string): readonly KubernetesObject[] {
  const history = [{ state: "Completed", version, image }];
  return [
    anImageConfig({ insecureRegistries: [host] }),
    {
      apiVersion: "config.openshift.io/v1",
      kind: "ClusterVersion",
      metadata: { name: "version" },
      status: { desired: history[0], history },
    },
  ];
}
