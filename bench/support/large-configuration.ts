import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  type Configuration,
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  imageTagMirrorSet,
  type RuleManifest,
  shippedTemplate,
} from "./configuration.ts";

const upstreams = ["registry.redhat.io", "quay.io", "docker.io", "registry.connect.redhat.com", "ghcr.io"];
const mirrorHosts = ["mirror-south.lab.example:5000", "mirror-north.lab.example:5000", "cache.core.example"];
const rulesPerObject = 50;

/** Returns a configuration with this number of sources, each with three mirrors. It is the same for each call. */
export function largeConfiguration(sources: number): Configuration {
  const rules = Array.from({ length: sources }, (_, i) => rule(i));
  const objects: Record<"idms" | "icsp" | "itms", KubernetesObject[]> = { idms: [], icsp: [], itms: [] };
  for (let start = 0; start < sources; start += rulesPerObject) {
    const turn = start / rulesPerObject;
    const some = rules.slice(start, start + rulesPerObject);
    const name = `mirrors-${turn}`;
    if (turn % 10 === 3) objects.icsp.push(imageContentSourcePolicy(name, some));
    else if (turn % 10 === 5 || turn % 10 === 8) objects.itms.push(imageTagMirrorSet(name, some));
    else objects.idms.push(imageDigestMirrorSet(name, some));
  }
  const below = (remainder: number, name: string) =>
    rules.filter((_, i) => i % 100 === remainder).map(({ source }) => `${source}/${name}`);
  return {
    template: shippedTemplate,
    insecure: ["cache.core.example", "*.lab.example", ...below(40, "plain")],
    blocked: ["*.untrusted.example", ...below(70, "forbidden")],
    ...objects,
  };
}

function rule(i: number): RuleManifest {
  // Sources next to each other in an object are far apart in the sorted file.
  const host = upstreams[i % upstreams.length];
  const team = `team-${(i * 7919) % 997}`;
  const repository = `${team}/operator-${String(i).padStart(5, "0")}-rhel9`;
  return {
    source: `${host}/${repository}`,
    mirrors: mirrorHosts.map((mirror) => `${mirror}/mirror/${repository}`),
  };
}
