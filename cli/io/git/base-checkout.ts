import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { redactForeign } from "#shared/domain/text/redact.ts";
import { UsageError } from "../../program/exit-codes.ts";

type Options = Readonly<{
  cwd?: string;
  option: string;
  index?: string;
}>;

function runGit(args: readonly string[], { cwd, option, index }: Options): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      ...(cwd === undefined ? {} : { cwd }),
      ...(index === undefined ? {} : { env: { ...process.env, GIT_INDEX_FILE: index } }),
    };
    const child = execFile("git", args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout.trim());
      const isMissing = fieldsOf(error).code === "ENOENT";
      const reason = stderr.trim().split("\n").at(-1) || error.message;
      const problem = isMissing ? "there is no git on the PATH" : redactForeign(reason);
      reject(new UsageError(`${option}: ${problem}`, { cause: error }));
    });
    child.stdin?.on("error", () => undefined); // the error of git itself has the reason
    child.stdin?.end();
  });
}

/**
 * Calls `use` with the root of a temporary copy of the repository, at the merge base of HEAD and `ref`. Meanwhile, the
 * process works in the same folder of the copy. Throws `UsageError` if git finds no `ref` or merge base.
 */
export async function beforeChange<Result>(
  ref: string,
  use: (root: string) => Promise<Result>,
): Promise<Result> {
  const option = `--changed-since ${ref}`;
  const git = (args: readonly string[], more: Omit<Options, "option"> = {}) =>
    runGit(args, { option, ...more });
  // --show-cdup keeps symbolic links in the path, like the paths in the arguments. --show-toplevel does not.
  const root = resolve(await git(["rev-parse", "--show-cdup"]));
  const failed = (problem: string) => (cause: unknown) => {
    throw new UsageError(`${option}: ${problem}`, { cause });
  };
  const commitOf = (name: string) =>
    git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  const baseOf = async (): Promise<string> => {
    const hasCommits = await commitOf("HEAD").catch(() => undefined);
    // A repository without commits is compared with an empty tree: all files are new.
    if (ref === "HEAD" && !hasCommits) return git(["mktree"]);
    const commit = await commitOf(ref).catch(
      failed("git has no such branch, tag or commit. Correct its name, or fetch it first."),
    );
    return git(["merge-base", commit, "HEAD"]).catch(
      failed(
        "git has no commit that it and HEAD come from. Fetch more of the history, for example with git fetch --unshallow.",
      ),
    );
  };
  const before = await baseOf();
  const here = process.cwd();
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hubrelay-before-")));
  const tree = join(folder, "tree");
  try {
    // A separate index file leaves the repository's index and list of worktrees unchanged.
    const own = { cwd: root, index: join(folder, "index") };
    await git(["read-tree", before], own);
    await git(["checkout-index", "--all", `--prefix=${tree}/`], own);
    const working = join(tree, relative(root, here));
    await mkdir(working, { recursive: true });
    process.chdir(working);
    return await use(tree);
  } finally {
    process.chdir(here);
    await rm(folder, { recursive: true, force: true });
  }
}
