import { parseAllDocuments } from "yaml";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { tryParseManifestObject } from "#shared/domain/manifests/manifest-object.ts";
import { paths } from "../../../../infra/paths.ts";
import { succeeded } from "../../../../infra/run-program.ts";
import type { Log } from "../programs/cache.ts";
import { goProgram } from "../programs/go-program.ts";

const module = "sigs.k8s.io/kustomize/kustomize/v5";

/** Returns the path of kustomize, built from its Go module when it is not cached. */
export const kustomize = (log: Log): Promise<string> =>
  goProgram({ name: "kustomize", program: module, module }, log);

/**
 * Returns what `kustomize build` renders from a folder of the repository, without reading anything outside of it.
 * `root` is the checkout, if not this one.
 */
export async function renderKustomization(
  folder: string,
  root: string = paths.root,
): Promise<readonly KubernetesObject[]> {
  const built = await kustomize((line) => console.log(line));
  const { stdout } = await succeeded(built, ["build", folder], { cwd: root });
  return parseAllDocuments(stdout).map((document) => {
    const object = tryParseManifestObject(document.toJS());
    if (!object) throw new Error(`${folder} renders what is no Kubernetes object:\n${document.toString()}`);
    return object;
  });
}

/** Returns the folders of an overlay in the order in which they are applied: its own, then those that need an add-on. */
export function foldersOf(overlay: string): readonly string[] {
  const folder = `infra/kubernetes/overlays/${overlay}`;
  const isScaled = overlay !== "forwarder" && overlay !== "one-deployment";
  const addOns = isScaled ? ["keda", "prometheus"] : ["prometheus"];
  return [folder, ...addOns.map((addOn) => `${folder}/${addOn}`)];
}

/** Returns what an overlay installs on a hub with KEDA and Prometheus' operator. */
export async function renderOverlay(overlay: string): Promise<readonly KubernetesObject[]> {
  const rendered: KubernetesObject[] = [];
  for (const folder of foldersOf(overlay)) rendered.push(...(await renderKustomization(folder)));
  return rendered;
}
