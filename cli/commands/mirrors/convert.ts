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
import { redactTexts } from "#shared/domain/text/redact.ts";
import { chosenSide } from "../../io/clusters/cluster-sides.ts";
import { printIssues } from "../../io/issue-text.ts";
import { manifestsOrHub } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { print, printMessage, safe, verbatim } from "../../io/safe-text.ts";
import { ensureDirectory, writeWhole } from "../../io/write-files.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { mirrorInputKinds, namedRelease, type ReleaseOptions } from "./mirror-input.ts";

function printProof(migration: Migration): number {
  const { old, made } = migration;
  // The conversion has already reported that there is nothing to migrate.
  if (old.length === 0) return exitCodes.issues;
  const { changes, refusals } = redactTexts(proveMigration(migration));
  for (const { step, lines } of changes)
    print(safe`Nodes change by ${step}:\n${lines.map((line) => safe`${line}\n`)}`);
  printIssues(refusals);
  if (changes.length > 0 || refusals.length > 0) return exitCodes.issues;
  print(
    safe`No node changes: the files are the same with the old objects (${old.length}), with old and new ones together, and with only the new ones (${made.length}).\n`,
  );
  return exitCodes.fine;
}

export type ConvertOptions = Readonly<{
  /** Paths of `-f`; absent for the live hub. */
  filename?: readonly string[];
  dir?: string;
  check?: boolean;
}> &
  ReleaseOptions;

/** `--check` renders such an object together with the objects to convert, in order to compare whole files. */
function isRendered(object: KubernetesObject): boolean {
  return !isOldKind(object) && mirrorInputKinds.some((kind) => isKind(kind, object));
}

/** Runs `hubrelay convert`: prints new objects or, with `check`, proves that no node changes. Returns the exit code. */
export async function convert(options: ConvertOptions): Promise<number> {
  const { filename, dir, check = false } = options;
  if (!check && options.releaseImage !== undefined)
    throw new UsageError("--release-image has an effect only with --check.");
  const read = await manifestsOrHub(filename, mirrorInputKinds);
  const given = chosenSide(read, mirrorInputKinds);
  requireObjects(
    { ...read, objects: given.objects, issues: given.issues },
    { paths: filename, command: "convert" },
  );
  const isConvertible = given.objects.some(isOldKind);
  if (!filename && !isConvertible) {
    printMessage(safe`The hub has no ImageContentSourcePolicies or older source policies.`);
    return exitCodes.fine;
  }
  // If no object can be converted, the user probably chose wrong files, so every object is reported as an issue.
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
    const proven = printProof(migration);
    if (proven !== exitCodes.fine || exitCode !== exitCodes.fine) {
      if (dir !== undefined) printMessage(safe`Nothing was written to ${dir}.`);
      return exitCodes.issues;
    }
  }
  if (dir !== undefined) await writeObjects(converted.objects, dir);
  else if (!check) print(verbatim(converted.objects.map(writeManifest).join("---\n")));
  return exitCode;
}

async function writeObjects(objects: readonly KubernetesObject[], dir: string): Promise<void> {
  await ensureDirectory(dir);
  for (const object of objects) {
    const path = await writeWhole(dir, mirrorSetFileName(object), writeManifest(object));
    print(safe`${path}\n`);
  }
}
