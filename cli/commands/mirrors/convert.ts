import { writerOf } from "#functions/mirror-config/ownership.ts";
import { isKind, type KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { mirrorInputOf } from "#shared/domain/mirrors/configuration.ts";
import {
  convertMirrorPolicies,
  isOldKind,
  mirrorSetFileName,
} from "#shared/domain/mirrors/convert/convert.ts";
import { type Migration, proveMigration } from "#shared/domain/mirrors/convert/convert-proof.ts";
import { chosenSide } from "../../io/clusters/cluster-sides.ts";
import { printIssues } from "../../io/issue-text.ts";
import { readLiveHub } from "../../io/live-hub.ts";
import { placesOnHub, readSources } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { print, printMessage, type SafeText, safe, verbatim } from "../../io/safe-text.ts";
import { content, rendered } from "../../io/structured-output.ts";
import { ensureDirectory, writeWhole } from "../../io/write-files.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { mirrorInputKinds, namedRelease, type ReleaseOptions } from "./mirror-input.ts";

/** Prints the proof that a migration changes nothing on any node, or the changes. Returns the exit code. */
export function printProof(migration: Migration, { output }: Readonly<{ output: "yaml" | "json" }>): number {
  const { old, made } = migration;
  // The input has nothing to migrate; reading it reported that.
  if (old.length === 0) return exitCodes.issues;
  const { changes, refusals } = proveMigration(migration);
  // Data for programs has no explanatory text.
  const isData = output === "json";
  print(
    rendered(
      { changes, old: old.length, made: made.length },
      isData ? "json" : "text",
      (clean) =>
        safe`${clean.changes.map(({ step, lines }) => safe`Nodes change by ${step}:\n${lines.map((line) => safe`${line}\n`)}`)}`,
    ),
  );
  printIssues(refusals);
  if (changes.length > 0 || refusals.length > 0) return exitCodes.issues;
  if (!isData)
    print(
      safe`No node changes: the files are the same with the old objects (${old.length}), with old and new ones together, and with only the new ones (${made.length}).\n`,
    );
  return exitCodes.fine;
}

export type ConvertOptions = Readonly<{
  /** Absent: the live hub. */
  filename?: readonly string[];
  dir?: string;
  check?: boolean;
  output: "yaml" | "json";
}> &
  ReleaseOptions;

/** Several objects are YAML documents, or a JSON list as kubectl prints it. */
function objectsText(objects: readonly KubernetesObject[], output: ConvertOptions["output"]): SafeText {
  return output === "json"
    ? content({ apiVersion: "v1", kind: "List", items: objects }, "json")
    : verbatim(objects.map(writeManifest).join("---\n"));
}

/** Reads the objects of `-f`, or the objects inside them if none can be converted itself. Throws for several clusters. */
async function readFiles(paths: readonly string[]) {
  const read = await readSources(paths);
  const side = chosenSide(read, mirrorInputKinds);
  const { objects } = side;
  const given = { objects, issues: side.issues, place: side.place };
  requireObjects({ ...read, ...given }, { paths, command: "convert" });
  return given;
}

/** Other objects that are rendered together with the policies: `--check` compares the whole configuration. */
function isRendered(object: KubernetesObject): boolean {
  return !isOldKind(object) && mirrorInputKinds.some((kind) => isKind(kind, object));
}

/**
 * Runs `hubrelay convert`: prints the new objects on standard output or, with `dir`, writes a file for each and prints its
 * path; issues go to standard error. With `check`, prints the proof that no node changes instead of the objects, and writes
 * files only if no node changes. Returns the exit code.
 */
export async function convert(options: ConvertOptions): Promise<number> {
  const { filename, dir, check = false, output } = options;
  if (!check && options.releaseImage !== undefined)
    throw new UsageError("--release-image has an effect only with --check.");
  const given = filename
    ? await readFiles(filename)
    : { ...(await readLiveHub(mirrorInputKinds)), issues: [], place: await placesOnHub() };
  const isConvertible = given.objects.some(isOldKind);
  if (!filename && !isConvertible) {
    printMessage(safe`The hub has no ImageContentSourcePolicies or older source policies.`);
    return exitCodes.fine;
  }
  // Files without any convertible object were probably named by accident, so each of their kinds is reported.
  const isBeside = (object: KubernetesObject) => isConvertible && isRendered(object);
  const beside = given.objects.filter(isBeside);
  const policies = given.objects.filter((object) => !isBeside(object));
  const converted = convertMirrorPolicies(policies, beside);
  const exitCode = printIssues(given.place([...given.issues, ...converted.issues]));

  if (check) {
    const old = policies.filter(isOldKind);
    const mirrors = mirrorInputOf(beside);
    const migration = {
      old,
      made: converted.objects,
      writer: writerOf(given.objects),
      beside: { ...mirrors, ...namedRelease(options) },
    };
    const proven = printProof(migration, options);
    if (proven !== exitCodes.fine || exitCode !== exitCodes.fine) {
      if (dir !== undefined) printMessage(safe`Nothing was written to ${dir}.`);
      return exitCodes.issues;
    }
  }
  if (dir !== undefined) await writeObjects(converted.objects, dir);
  else if (!check) print(objectsText(converted.objects, output));
  return exitCode;
}

async function writeObjects(objects: readonly KubernetesObject[], dir: string): Promise<void> {
  await ensureDirectory(dir);
  for (const object of objects) {
    const path = await writeWhole(dir, mirrorSetFileName(object), writeManifest(object));
    print(safe`${path}\n`);
  }
}
