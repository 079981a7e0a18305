import { paths } from "./paths.ts";
import { finished } from "./run-program.ts";

/** The built commit and its time in Unix seconds. `revision` ends with `-dirty` if files differ from the commit. */
export type Source = Readonly<{ revision: string; seconds: number }>;

/** Returns the commit that is built; without git, the revision `unknown` with the time 0. */
export async function source(): Promise<Source> {
  const git = (...args: readonly string[]) => finished("git", args, { cwd: paths.root });
  const described = await git("describe", "--always", "--abbrev=40", "--dirty", "--exclude=*");
  if (described.code !== 0) return { revision: "unknown", seconds: 0 };
  const { stdout } = await git("show", "--no-patch", "--format=%ct", "HEAD");
  return { revision: described.stdout.trim(), seconds: Number(stdout) };
}
