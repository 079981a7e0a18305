/** The update graph of a folder of manifests: it is JSON, but no object of a hub. */
export const updateGraphFile = "update-graph.json";

/** True for the name of a file that holds manifests. Hidden files belong to other programs. */
export function isManifestFile(name: string): boolean {
  return !name.startsWith(".") && name !== updateGraphFile && /\.(?:ya?ml|json)$/.test(name);
}
