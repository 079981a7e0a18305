import { text as readAll } from "node:stream/consumers";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isKind } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { emptyDocuments } from "#shared/domain/manifests/empty-documents.ts";
import { readManifests, writeManifest } from "#shared/domain/manifests/manifests.ts";
import {
  convertMirrorPolicies,
  isOldKind,
  mirrorSetFileName,
} from "#shared/domain/mirrors/convert/convert.ts";
import { tellIssues } from "../../io/issue-text.ts";
import { readLiveHub } from "../../io/live-hub.ts";
import { readTexts, type Source } from "../../io/manifest-source.ts";
import { print, printError, safe, verbatim } from "../../io/safe-text.ts";
import { ensureDirectory, writeWhole } from "../../io/write-files.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { UsageError } from "../../program/usage-error.ts";
import { convertOcCompat } from "./convert-oc-compat.ts";
import { tellProof } from "./convert-proof.ts";
import { mirrorInputKinds, mirrorInputOf } from "./mirror-input.ts";

export type ConvertOptions = Readonly<{
  /** Absent: the live hub. */
  filename?: readonly string[];
  dir?: string;
  compat?: "oc";
  check?: boolean;
  issues: "text" | "json";
}>;

type Read = Readonly<{ objects: readonly KubernetesObject[]; issues: readonly Issue[] }>;

function noObjects(file: string): Issue {
  return {
    code: "EmptyDocument",
    severity: "error",
    object: { kind: "File", name: file },
    path: "1:1",
    value: "",
    message: `${file} holds no object`,
    remedy: "Give manifests to convert.",
  };
}

function readObjects({ file, text }: Source): Read {
  const { objects, issues } = readManifests(text, file);
  const told = [...emptyDocuments(text, file), ...issues];
  const isNothing = objects.length === 0 && told.length === 0;
  return { objects: objects.map(({ object }) => object), issues: isNothing ? [noObjects(file)] : told };
}

async function readFiles(paths: readonly string[]): Promise<Read> {
  const read = (await readTexts(paths, () => readAll(process.stdin))).map(readObjects);
  return {
    objects: read.flatMap(({ objects }) => objects),
    issues: read.flatMap(({ issues }) => issues),
  };
}

/** What stands beside the policies and is rendered with them: `--check` proves the configuration as a whole. */
function isRendered(object: KubernetesObject): boolean {
  return !isOldKind(object) && mirrorInputKinds.some((kind) => isKind(kind, object));
}

/**
 * `hubrelay convert`: the new objects on standard output or, with `dir`, in a file each, whose paths are
 * printed; issues on standard error. With `check` the proof that no node is touched is printed in place of the
 * objects, and files are only written when it holds. Answers the exit code.
 */
export async function convert(options: ConvertOptions): Promise<number> {
  const { filename, dir, compat, check = false, issues: format } = options;
  if (compat === "oc") {
    if (!filename) throw new UsageError("--compat oc converts files, as oc does. Name them with -f.");
    return convertOcCompat({ ...options, filename });
  }
  const given = filename
    ? await readFiles(filename)
    : { objects: await readLiveHub(mirrorInputKinds), issues: [] };
  // Of files that are only to be converted, one that is no policy was given by mistake.
  const standsBeside = (object: KubernetesObject) => (check || !filename) && isRendered(object);
  const policies = given.objects.filter((object) => !standsBeside(object));
  if (!filename && policies.length === 0) {
    printError(safe`The hub has no ImageContentSourcePolicies or older source policies.`);
    return exitCodes.fine;
  }
  const converted = convertMirrorPolicies(policies);
  const exitCode = tellIssues([...given.issues, ...converted.issues], format);

  if (check) {
    const old = policies.filter(isOldKind);
    const migration = {
      old,
      made: converted.objects,
      beside: mirrorInputOf(given.objects.filter(standsBeside)),
    };
    const proven = tellProof(migration, format);
    if (proven !== exitCodes.fine || exitCode !== exitCodes.fine) {
      if (dir !== undefined) printError(safe`Nothing was written to ${dir}.`);
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
