import { cp, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { paths } from "../../../../infra/paths.ts";

/**
 * Copies `infra`, adds components to one of its overlays as its user would, and calls `use` with the folder of the overlay.
 */
export async function overlayWith<Result>(
  overlay: string,
  components: readonly string[],
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  await using copy = await mkdtempDisposable(join(tmpdir(), "hubrelay-overlay-"));
  for (const part of ["kubernetes", "hub-rbac", "crds"])
    await cp(join(paths.root, "infra", part), join(copy.path, part), { recursive: true });
  const folder = join(copy.path, "kubernetes/overlays", overlay);
  const file = join(folder, "kustomization.yaml");
  const kustomization = parseDocument(await readFile(file, "utf8"));
  for (const name of components) kustomization.addIn(["components"], `../../components/${name}`);
  await writeFile(file, String(kustomization));
  return await use(folder);
}
