import { writerOf } from "#functions/mirror-config/ownership.ts";
import { fileIssue, fileStart } from "#shared/domain/issues/file-issues.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isKind, type KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { emptyDocuments } from "#shared/domain/manifests/yaml-stream.ts";
import { mirrorInputOf } from "#shared/domain/mirrors/configuration.ts";
import {
  convertMirrorPolicies,
  isOldKind,
  mirrorSetFileName,
} from "#shared/domain/mirrors/convert/convert.ts";
import { chosenSide } from "../../io/clusters/cluster-sides.ts";
import { printIssues } from "../../io/issue-text.ts";
import { readLiveHub } from "../../io/live-hub.ts";
import { placesOnHub, readSources } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { print, printMessage, type SafeText, safe, verbatim } from "../../io/safe-text.ts";
import { content } from "../../io/structured-output.ts";
import { ensureDirectory, writeWhole } from "../../io/write-files.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { printProof } from "./convert-proof.ts";
import { mirrorInputKinds } from "./mirror-input.ts";
import { type ReleaseOptions, releaseInput } from "./release-input.ts";

export type ConvertOptions = Readonly<{
  /** Absent: the live hub. */
  filename?: readonly string[];
  dir?: string;
  check?: boolean;
  output: "yaml" | "json";
  issues: "text" | "json";
}> &
  ReleaseOptions;

/** Several objects are documents of YAML, and a list in JSON, as kubectl prints them. */
function objectsText(objects: readonly KubernetesObject[], output: ConvertOptions["output"]): SafeText {
  return output === "json"
    ? content({ apiVersion: "v1", kind: "List", items: objects }, "json")
    : verbatim(objects.map(writeManifest).join("---\n"));
}

function noObjects(file: string): Issue {
  return fileIssue(file, fileStart, "", {
    code: "EmptyDocument",
    message: `${file} has no objects`,
    remedy: "Give manifests to convert.",
  });
}

/** Reads what `-f` names, and what such objects hold if they are none to convert themselves. Throws for several clusters. */
async function readFiles(paths: readonly string[]) {
  const read = await readSources(paths);
  const side = chosenSide(read, mirrorInputKinds);
  const { objects } = side;
  const found = [...read.objects, ...read.damaged, ...read.issues].map(({ file }) => file);
  const nothing = read.texts.filter(({ file, isInFolder }) => !isInFolder && !found.includes(file));
  const empty = read.texts.flatMap(({ file, text }) => emptyDocuments(text, file));
  const isReported = new Set(empty.map(({ file }) => file));
  const given = {
    objects,
    issues: [
      ...empty,
      ...nothing.filter(({ file }) => !isReported.has(file)).map(({ file }) => noObjects(file)),
      ...side.issues,
    ],
    place: side.place,
  };
  requireObjects({ ...read, ...given }, { paths, command: "convert" });
  return given;
}

/** Objects that exist beside the policies and are rendered with them: `--check` compares the whole configuration. */
function isRendered(object: KubernetesObject): boolean {
  return !isOldKind(object) && mirrorInputKinds.some((kind) => isKind(kind, object));
}

/**
 * Runs `hubrelay convert`: prints the new objects on standard output or, with `dir`, writes a file for each and prints
 * its path; issues go to standard error. With `check`, prints the proof that no node changes instead of the objects, and
 * writes files only if it holds. Returns the exit code.
 */
export async function convert(options: ConvertOptions): Promise<number> {
  const { filename, dir, check = false, output, issues: format } = options;
  if (!check && (options.releaseImage ?? options.imageReferences) !== undefined)
    throw new UsageError("--release-image and --image-references have an effect only with --check.");
  const given = filename
    ? await readFiles(filename)
    : { ...(await readLiveHub(mirrorInputKinds)), issues: [], place: await placesOnHub() };
  const isConvertible = given.objects.some(isOldKind);
  if (!filename && !isConvertible) {
    printMessage(safe`The hub has no ImageContentSourcePolicies or older source policies.`);
    return exitCodes.fine;
  }
  // Without anything to convert, a file was probably named by accident: each of its kinds is reported.
  const isBeside = (object: KubernetesObject) => isConvertible && isRendered(object);
  const beside = given.objects.filter(isBeside);
  const policies = given.objects.filter((object) => !isBeside(object));
  const converted = convertMirrorPolicies(policies, beside);
  const exitCode = printIssues(given.place([...given.issues, ...converted.issues]), format);

  if (check) {
    const old = policies.filter(isOldKind);
    const mirrors = mirrorInputOf(beside);
    const migration = {
      old,
      made: converted.objects,
      writer: writerOf(given.objects),
      beside: { ...mirrors, ...(await releaseInput(options, mirrors)) },
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
