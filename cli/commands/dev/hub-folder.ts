import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cp, mkdir, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { controllers } from "#functions/controllers.ts";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { fileErrorCode, fileProblem } from "#shared/adapters/file-text.ts";
import { type DirectoryHub, openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { stateDirectory } from "#shared/adapters/hub/directory/folder-objects.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { HubError } from "#shared/ports/hub.ts";
import { UsageError } from "../../program/exit-codes.ts";

/** Returns the path for messages: relative if it is in the current folder, otherwise unchanged. */
export function shown(path: string): string {
  const here = relative(process.cwd(), path) || ".";
  return here.startsWith("..") ? path : here;
}

async function withOption<Result>(
  option: string,
  path: string,
  use: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await use();
  } catch (cause) {
    if (fileErrorCode(cause) === "" && !(cause instanceof HubError)) throw cause;
    throw new UsageError(`${option} ${shown(path)} cannot be used: ${fileProblem(cause)}`, { cause });
  }
}

function filesIn(directory: string): Promise<readonly string[]> {
  return withOption("--hub", directory, async () => {
    await mkdir(directory, { recursive: true });
    return (await readdir(directory)).filter((name) => !name.startsWith("."));
  });
}

/** Creates a folder if it does not exist. Throws `UsageError` if the folder has files or cannot be used. */
export async function makeEmptyFolder(directory: string): Promise<void> {
  const present = await filesIn(directory);
  if (present.length > 0)
    throw new UsageError(`--hub ${shown(directory)} has files already; name an empty folder.`);
}

/** Copies the manifests in `from` to `directory` if that is empty. Returns a text that describes `directory`. */
export async function prepareFolder(directory: string, from: string): Promise<string> {
  const present = await filesIn(directory);
  if (present.length > 0) return shown(directory);
  await withOption("--from", from, async () => {
    for (const name of await readdir(from))
      await cp(join(from, name), join(directory, name), { recursive: true });
  });
  return `${shown(directory)}, a copy of ${shown(from)}`;
}

/** Reports whether another process has this id. In a new container, an old lock may have this process's id. */
function isOther(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return fileErrorCode(error) === "EPERM";
  }
}

type FolderInUse = Readonly<{ pid: number; lock: string }>;

/** Returns a function that removes the lock or, if another process uses the folder, that process and its lock. */
function lockFolder(directory: string): (() => void) | FolderInUse {
  const state = join(directory, stateDirectory);
  // With `recursive`, mkdir reports a read-only file system as a missing folder.
  if (!existsSync(state)) mkdirSync(state);
  const lock = join(state, "lock");
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (fileErrorCode(error) !== "EEXIST") throw error;
    }
    const pid = Number(readFileSync(lock, "utf8"));
    if (isOther(pid)) return { pid, lock };
    rmSync(lock, { force: true });
  }
}

/** Opens the hub and the queues in this folder. Throws `UsageError` if another process uses the folder. */
export async function openFolder(
  directory: string,
  cleanup: AsyncDisposableStack,
  options: Readonly<{
    onIssue(issue: Issue): void;
    onFixed(issue: Issue): void;
    onWatchError(error: Error): void;
  }>,
): Promise<Readonly<{ hub: DirectoryHub; messaging: EmbeddedMessaging }>> {
  const lock = await withOption("--hub", directory, () => lockFolder(directory));
  if (typeof lock !== "function")
    throw new UsageError(
      `--hub ${shown(directory)} is in use by process ${lock.pid}. Fix: End that process, or name another folder; if it is not hubrelay, delete ${shown(lock.lock)}.`,
    );
  cleanup.defer(lock);
  return withOption("--hub", directory, async () => {
    const hub = openDirectoryHub(directory, { id: "urn:hubrelay:dev", ...options });
    cleanup.defer(() => hub.close());
    const messaging = await startEmbeddedMessaging({
      dataDir: join(directory, stateDirectory, "queues"),
      queues: controllers.map(({ queue }) => queue),
      topic: "outcomes",
    });
    cleanup.defer(() => messaging.stop());
    return { hub, messaging };
  });
}
