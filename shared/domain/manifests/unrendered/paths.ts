/** Returns the folder of a path; empty for a name. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Returns a path that is relative to a folder, without `.` and `..` where they name a folder of the path. */
export function pathFrom(folder: string, relative: string): string {
  const isAbsolute = folder.startsWith("/");
  const steps: string[] = [];
  for (const step of `${folder}/${relative}`.split("/")) {
    if (step === "" || step === ".") continue;
    if (step === ".." && steps.length > 0 && steps.at(-1) !== "..") steps.pop();
    else steps.push(step);
  }
  return `${isAbsolute ? "/" : ""}${steps.join("/")}`;
}

/** Reports whether a path is below a folder; every relative path is below the empty one. */
export const isBelow = (path: string, folder: string): boolean =>
  folder === "" ? !path.startsWith("/") : path.startsWith(`${folder}/`);
