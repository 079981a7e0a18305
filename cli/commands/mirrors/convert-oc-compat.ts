import { randomInt } from "node:crypto";
import { join } from "node:path";
import { messageOf } from "#shared/domain/credentials/error-text.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { readManifests, writeYaml } from "#shared/domain/manifests/manifests.ts";
import { isOldKind } from "#shared/domain/mirrors/convert/convert.ts";
import {
  migrateOcCompat,
  type OcMirrorSet,
  refusedByOc,
} from "#shared/domain/mirrors/convert/migrate-oc-compat.ts";
import { readStdin, type Source, sourceOf, unreadable } from "../../io/input-text.ts";
import { printIssues } from "../../io/issue-text.ts";
import { showable } from "../../io/on-terminal/shown-texts.ts";
import { print, safe, verbatim } from "../../io/safe-text.ts";
import { ensureDirectory, writeWhole } from "../../io/write-files.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { printProof } from "./convert-proof.ts";

type Failure = Readonly<{ issue: Issue }>;
type Migrated = Source & Readonly<{ objects: readonly OcMirrorSet[] }>;

export type ConvertOcCompatOptions = Readonly<{
  filename: readonly string[];
  dir?: string;
  check?: boolean;
  issues: "text" | "json";
}>;

const objectsIn = (text: string) => readManifests(text, "").objects.map(({ object }) => object);

const textOf = (objects: readonly OcMirrorSet[]): string => objects.map(writeYaml).join("---\n");

/** Unlike other commands oc continues with the next file, and reads no directory. */
async function readOne(path: string): Promise<Source | Failure> {
  const file = path === "-" ? "stdin" : path;
  try {
    return path === "-" ? showable({ file, text: await readStdin() }) : await sourceOf(path);
  } catch (error) {
    const { message } = error instanceof UsageError ? error : unreadable(file, error);
    return { issue: refusedByOc(file, "1:1", message, "") };
  }
}

async function migrate(path: string): Promise<Migrated | Failure> {
  const source = await readOne(path);
  if ("issue" in source) return source;
  const migration = migrateOcCompat(source.text, source.file);
  return "issue" in migration ? migration : { ...source, ...migration };
}

/** Returns the issue of a file that could not be written. A new run writes new files, as oc's does. */
async function writeLikeOc({ file, objects }: Migrated, dir: string): Promise<readonly Issue[]> {
  const name = objects[0]?.metadata.name ?? "";
  const made = `imagedigestmirrorset_${name}.${String(randomInt(2 ** 47)).padStart(6, "0")}.yaml`;
  const path = join(dir, made);
  const refused = (why: string) => [refusedByOc(file, "metadata.name", why, name)];
  if (name.includes("/")) return refused(`${path} cannot be written: the name has a slash`);
  try {
    await writeWhole(dir, made, textOf(objects), 0o777);
  } catch (error) {
    return refused(messageOf(error));
  }
  print(safe`wrote ImageDigestMirrorSet to ${path}\n`);
  return [];
}

/**
 * Runs `hubrelay convert --compat oc`: makes the objects and the file names that `oc adm migrate icsp` makes of the
 * same files, and refuses what it refuses. Also accepts standard input. Returns the exit code.
 */
export async function convertOcCompat({
  filename,
  dir,
  check = false,
  issues: format,
}: ConvertOcCompatOptions): Promise<number> {
  if (dir !== undefined) await ensureDirectory(dir);
  const issues: Issue[] = [];
  const converted: Migrated[] = [];
  for (const path of new Set(filename)) {
    const result = await migrate(path);
    if ("issue" in result) issues.push(result.issue);
    else converted.push(result);
  }
  const made = textOf(converted.flatMap(({ objects }) => objects));

  if (check) {
    const old = converted.flatMap(({ text }) => objectsIn(text)).filter(isOldKind);
    const proven = printProof(
      { old, made: objectsIn(made), beside: { objects: [] } },
      { issues: format, output: "yaml" },
    );
    if (proven !== exitCodes.fine || issues.length > 0) {
      printIssues(issues, format);
      return exitCodes.issues;
    }
  }
  if (dir === undefined && !check) print(verbatim(made));
  if (dir !== undefined) for (const each of converted) issues.push(...(await writeLikeOc(each, dir)));
  return printIssues(issues, format);
}
