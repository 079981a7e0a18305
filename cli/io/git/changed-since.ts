import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { maxFileSize } from "#shared/adapters/file-errors.ts";
import { decodeText } from "#shared/adapters/file-text.ts";
import { fieldsOf } from "#shared/domain/json/values.ts";
import { redactForeign } from "#shared/domain/text/redact.ts";
import { UsageError } from "../../program/exit-codes.ts";

type Options = Readonly<{
  cwd?: string;
  input?: string;
  option: string;
  /** A file to use as index, instead of the repository's own. */
  index?: string;
}>;

/**
 * Runs the `git` on the PATH and returns what it prints. Throws `UsageError`, which names the `option` of hubrelay that
 * needs it, where git is not installed or fails.
 */
function runGit(args: readonly string[], { cwd, input = "", option, index }: Options): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = {
      ...(cwd === undefined ? {} : { cwd }),
      ...(index === undefined ? {} : { env: { ...process.env, GIT_INDEX_FILE: index } }),
      encoding: "buffer",
      maxBuffer: 4 * maxFileSize,
    } as const;
    const child = execFile("git", args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const isMissing = fieldsOf(error).code === "ENOENT";
      const reason = stderr.toString().trim().split("\n").at(-1) || error.message;
      const problem = isMissing ? "there is no git on the PATH" : redactForeign(reason);
      reject(new UsageError(`${option}: ${problem}`, { cause: error }));
    });
    child.stdin?.on("error", () => undefined); // git's own failure says why
    child.stdin?.end(input);
  });
}

/** Returns the items of a list that git has separated by NUL. */
const itemsOf = (list: Buffer): readonly string[] => list.toString().split("\0").filter(Boolean);

/** A file as it was before a change; its path begins as the argument of `-f` does. */
export type FileBefore = Readonly<{ file: string; text: string }>;

/** What changed in the working tree since it left another branch. */
export type ChangeSince = Readonly<{
  /** The files that the change adds, changes or removes, from the working folder. */
  touched: readonly string[];
  /** Returns the file at a path before the change, or those below it that are to be read, by their paths from there. */
  filesBefore(path: string, isRead: (below: string) => boolean): Promise<readonly FileBefore[]>;
  /** Calls `use` with the working folder as it was before the change, in a copy that is removed afterwards. */
  inCopyBefore<Result>(use: (cwd: string) => Promise<Result>): Promise<Result>;
}>;

/** Regular files: what a link names may be anywhere. */
const regularFile = /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s;

/** Returns the contents of objects of git, in their order. */
function contentsIn(batch: Buffer): readonly string[] {
  const contents: string[] = [];
  for (let at = 0; at < batch.length; ) {
    const end = batch.indexOf("\n", at);
    const size = Number(batch.toString("latin1", at, end).split(" ").at(-1));
    contents.push(decodeText(batch.subarray(end + 1, end + 1 + size)));
    at = end + 1 + size + 1;
  }
  return contents;
}

/**
 * Returns what changed since the working tree left the branch, tag or commit `ref`: committed or not. Throws `UsageError`
 * where git does not know it, or no commit that both come from.
 */
export async function changeSince(ref: string): Promise<ChangeSince> {
  const option = `--changed-since ${ref}`;
  const git = (
    args: readonly string[],
    cwd?: string,
    more: Readonly<{ input?: string; index?: string }> = {},
  ) => runGit(args, { option, ...(cwd === undefined ? {} : { cwd }), ...more });
  // Unlike the absolute path of the root it has no links resolved, as the arguments have none.
  const root = resolve((await git(["rev-parse", "--show-cdup"])).toString().trim());
  const failed = (problem: string) => (cause: unknown) => {
    throw new UsageError(`${option}: ${problem}`, { cause });
  };
  const commitOf = (name: string) =>
    git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  const baseOf = async (): Promise<Buffer> => {
    const hasCommits = await commitOf("HEAD").catch(() => undefined);
    // Before the first commit everything is new.
    if (ref === "HEAD" && !hasCommits) return git(["mktree"]);
    const commit = await commitOf(ref).catch(
      failed("git has no such branch, tag or commit. Correct its name, or fetch it first."),
    );
    return git(["merge-base", commit.toString().trim(), "HEAD"]).catch(
      failed(
        "git has no commit that it and HEAD come from. Fetch more of the history, for example with git fetch --unshallow.",
      ),
    );
  };
  const before = (await baseOf()).toString().trim();
  const [changed, added] = await Promise.all([
    git(["diff", "--name-only", "--no-renames", "-z", before], root),
    git(["ls-files", "--others", "--exclude-standard", "-z"], root),
  ]);
  const inRepository = (file: string) => relative(root, resolve(file)).split(sep).join("/");
  return {
    touched: [...itemsOf(changed), ...itemsOf(added)].map((file) => relative("", resolve(root, file))),
    async filesBefore(path, isRead) {
      const tree = await git(["ls-tree", "-r", "-z", before, "--", inRepository(path) || "."], root);
      const files = itemsOf(tree).flatMap((line) => {
        const [, object = "", inTree = ""] = regularFile.exec(line) ?? [];
        const below = relative(resolve(path), resolve(root, inTree));
        const isWanted = inTree !== "" && (below === "" || isRead(below));
        return isWanted ? [{ file: below === "" ? path : join(path, below), object }] : [];
      });
      const wanted = files.map(({ object }) => `${object}\n`).join("");
      const contents = contentsIn(await git(["cat-file", "--batch"], root, { input: wanted }));
      return files.map(({ file }, index) => ({ file, text: contents[index] ?? "" }));
    },
    async inCopyBefore(use) {
      const folder = await realpath(await mkdtemp(join(tmpdir(), "hubrelay-before-")));
      try {
        // Neither the index nor the list of worktrees of the repository changes.
        const index = join(folder, "index");
        const cwd = join(folder, "tree", relative(root, process.cwd()));
        await git(["read-tree", before], root, { index });
        await git(["checkout-index", "--all", `--prefix=${join(folder, "tree")}/`], root, { index });
        await mkdir(cwd, { recursive: true });
        return await use(cwd);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
