import { fileURLToPath } from "node:url";

/**
 * Returns the path of a file that the package carries beside its code. This module must stay two folders below the
 * root: so deep are the bundles of the npm package and of the container image, too.
 */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
