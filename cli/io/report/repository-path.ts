import { isAbsolute, relative, resolve, sep } from "node:path";

/** Returns the path of a file from the working folder, as CI systems expect it; the absolute one if it lies elsewhere. */
export function pathInRepository(file: string): string {
  const path = relative("", file);
  const isElsewhere = path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
  return (isElsewhere ? resolve(file) : path).split(sep).join("/");
}
