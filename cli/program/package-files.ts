import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the path of a file of the package. This module and the bundles must be two folders below the root. */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** Returns the kubectl command that applies a folder of the package, for a shell in the folder `from`. */
export function applyCommand(path: string, from = process.cwd()): string {
  const folder = packageFile(path);
  const near = relative(from, folder);
  return `kubectl apply -k ${near.startsWith("..") || isAbsolute(near) ? folder : near}`;
}
