import { glob, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { Queue, ReceivedMessage } from "#shared/ports/queue.ts";
import { paths } from "../../../../infra/paths.ts";
import { withVersion } from "../../../../infra/release/version-mentions.ts";
import { outsideOfNpm, succeeded } from "../../../../infra/run-program.ts";
import { commandFile } from "../../../support/processes/command-file.ts";

/** A version of hubrelay as a checkout that can be run. */
export type Checkout = Readonly<{
  name: string;
  root: string;
  /** The file of its command. */
  command: string;
}>;

/** This checkout. */
export const thisVersion: Checkout = { name: "this version", root: paths.root, command: commandFile };

/** Names a version that no release has: that of the stand-in. */
const standInVersion = "0.0.1";

/**
 * Makes a checkout of the version before this one in a folder: the newest release that the clone has a tag of. In a clone
 * without one, before the first release and where tags were not fetched, a stand-in: this commit under another version. It
 * shows that a deployment is replaced without a loss, and nothing about formats that have changed since.
 */
export async function previousVersion(folder: string): Promise<Checkout> {
  const release = await newestRelease();
  const root = join(folder, release ?? "stand-in");
  const command = join(root, "cli/main.ts");
  await mkdir(root, { recursive: true });
  const extract = 'git archive "$1" | tar --extract --directory "$2"';
  await succeeded("bash", ["-o", "pipefail", "-ec", extract, "bash", release ?? "HEAD", root], {
    cwd: paths.root,
  });
  if (release) {
    await succeeded("npm", ["ci", "--prefer-offline"], { cwd: root, env: outsideOfNpm(process.env) });
    return { name: release, root, command };
  }
  await symlink(join(paths.root, "node_modules"), join(root, "node_modules"));
  await renameVersion(root);
  return { name: `a stand-in for the version before (no release is tagged in this clone)`, root, command };
}

/** The newest tag of a release that is not the commit under test. */
async function newestRelease(): Promise<string | undefined> {
  const git = async (...args: readonly string[]) =>
    (await succeeded("git", args, { cwd: paths.root })).stdout.split("\n").filter((line) => line !== "");
  const here = await git("tag", "--points-at", "HEAD");
  const releases = await git("tag", "--list", "v*", "--sort=-version:refname");
  return releases.find((tag) => !here.includes(tag));
}

async function renameVersion(root: string): Promise<void> {
  const packageFile = join(root, "package.json");
  const described = JSON.parse(await readFile(packageFile, "utf8"));
  await writeFile(packageFile, JSON.stringify({ ...described, version: standInVersion }));
  for await (const path of glob("infra/kubernetes/**/*.yaml", { cwd: root })) {
    const file = join(root, path);
    await writeFile(file, withVersion(await readFile(file, "utf8"), standInVersion));
  }
}

/** What a later version may add to anything: a field that this version does not know. */
const addition = { addedByALaterVersion: { since: "99.0.0", values: [1, { deep: true }] } };

/** Returns a JSON value with the addition in each of its objects. */
function withAdditions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withAdditions);
  if (!isRecord(value)) return value;
  const known = Object.entries(value).map(([key, content]) => [key, withAdditions(content)]);
  return { ...Object.fromEntries(known), ...addition };
}

/**
 * Replaces what waits in a queue by the same messages as a later version may send them: with fields that are unknown, at
 * every level. Nothing else may receive from the queue meanwhile. Returns how many there were.
 */
export async function sendAsLaterVersion(queue: Queue): Promise<number> {
  const waiting: ReceivedMessage[] = [];
  for (;;) {
    const received = await queue.receive({ waitSeconds: 0, hiddenSeconds: 600 });
    if (received.length === 0) break;
    waiting.push(...received);
  }
  await queue.send(
    waiting.map(({ body, attributes }) => ({
      body: JSON.stringify(withAdditions(JSON.parse(body))),
      attributes,
    })),
  );
  if (waiting.length > 0) await queue.delete(waiting.map(({ receiptHandle }) => receiptHandle));
  return waiting.length;
}
