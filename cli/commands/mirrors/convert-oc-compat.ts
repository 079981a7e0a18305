import { randomInt } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { isOldKind } from "#shared/domain/mirrors/convert/convert.ts";
import { migrateOcCompat } from "#shared/domain/mirrors/convert/migrate-oc-compat.ts";
import type { Source } from "../../io/manifest-source.ts";
import { lines, print, printError, safe, verbatim } from "../../io/safe-text.ts";
import { ensureDirectory } from "../../io/write-files.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { printProof } from "./convert-proof.ts";

type Failure = Readonly<{ file: string; error: string }>;
type Migrated = Readonly<{ file: string; source: string; text: string; name: string }>;

export type ConvertOcCompatOptions = Readonly<{
  filename: readonly string[];
  dir?: string;
  check?: boolean;
  issues: "text" | "json";
}>;

const objectsIn = (text: string) => readManifests(text, "").objects.map(({ object }) => object);

/** Go's os package has these messages, and oc prints them. */
function whyUnreadable(path: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return `open ${path}: no such file or directory`;
  if (code === "EACCES") return `open ${path}: permission denied`;
  return error instanceof Error ? error.message : String(error);
}

async function readOne(path: string): Promise<Source | Failure> {
  const failure = (why: string) => ({
    file: path,
    error: `unable to read ImageContentSourceFile ${path}: ${why}`,
  });
  if (path === "-") return { file: "stdin", text: await readAll(process.stdin) };
  try {
    if ((await stat(path)).isDirectory()) return failure(`read ${path}: is a directory`);
    return { file: path, text: await readFile(path, "utf8") };
  } catch (error) {
    return failure(whyUnreadable(path, error));
  }
}

async function migrate(path: string): Promise<Migrated | Failure> {
  const source = await readOne(path);
  if ("error" in source) return source;
  return { file: source.file, source: source.text, ...migrateOcCompat(source.text, source.file) };
}

/** Prints oc's messages, which have no `error:` prefix if there are several, or issues as JSON lines. */
function printFailures(failures: readonly Failure[], format: "text" | "json"): void {
  for (const { file, error } of failures) {
    const issue: Issue = {
      code: "RefusedByOc",
      severity: "error",
      object: { kind: "File", name: file },
      path: "1:1",
      value: file,
      message: error,
      remedy: "Give ImageContentSourcePolicies only, or convert without --compat oc.",
    };
    const line = failures.length > 1 ? error : `error: ${error}`;
    printError(format === "json" ? verbatim(JSON.stringify(issue)) : lines(line));
  }
}

async function writeLikeOc(
  dir: string,
  name: string,
  text: string,
): Promise<Readonly<{ path: string } | { error: string }>> {
  const path = join(dir, `imagedigestmirrorset_${name}.${String(randomInt(2 ** 47)).padStart(6, "0")}.yaml`);
  try {
    if (name.includes("/")) throw new Error(`open ${path}: no such file or directory`);
    await writeFile(path, text, { mode: 0o777, flag: "wx" });
    return { path };
  } catch (error) {
    return { error: `error writing ImageDigestMirrorSet: ${whyUnreadable(path, error)}` };
  }
}

async function writeAll(converted: readonly Migrated[], dir: string): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  for (const { file, name, text } of converted) {
    const written = await writeLikeOc(dir, name, text);
    if ("error" in written) failures.push({ file, error: written.error });
    else print(safe`wrote ImageDigestMirrorSet to ${written.path}\n`);
  }
  return failures;
}

/**
 * Runs `hubrelay convert --compat oc`: does what `oc adm migrate icsp` does with the same files, including its messages
 * and the names of its output files. Also accepts standard input. Returns the exit code.
 */
export async function convertOcCompat({
  filename,
  dir,
  check = false,
  issues: format,
}: ConvertOcCompatOptions): Promise<number> {
  if (dir !== undefined) await ensureDirectory(dir);
  const results: (Migrated | Failure)[] = [];
  for (const path of new Set(filename)) results.push(await migrate(path));
  const converted = results.filter((result) => "text" in result);
  const failures = results.filter((result) => "error" in result);

  if (check) {
    const old = converted.flatMap(({ source }) => objectsIn(source)).filter(isOldKind);
    const made = converted.flatMap(({ text }) => objectsIn(text));
    const proven = printProof({ old, made, beside: { objects: [] } }, format);
    if (proven !== exitCodes.fine || failures.length > 0) {
      printFailures(failures, format);
      return exitCodes.issues;
    }
  }
  if (dir !== undefined) failures.push(...(await writeAll(converted, dir)));
  else if (!check) print(verbatim(converted.map(({ text }) => text).join("---\n")));
  printFailures(failures, format);
  return failures.length > 0 ? exitCodes.issues : exitCodes.fine;
}
