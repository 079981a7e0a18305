import { text } from "node:stream/consumers";
import { controllers } from "#functions/controllers.ts";
import { openExternalPorts } from "#shared/adapters/open-external-ports.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { needsAttention, type Verification, verify as verifyHub } from "#shared/runtime/verify.ts";
import { tellIssues } from "../../io/issue-text.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { manifestHub } from "../../io/manifest-hub.ts";
import { readSources } from "../../io/manifest-source.ts";
import { print } from "../../io/safe-text.ts";
import { type StructuredFormat, structured } from "../../io/structured-output.ts";
import { chosenFunctions } from "../../program/chosen-functions.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { verificationTable } from "./verification-table.ts";

export type VerifyOptions = Readonly<{
  /** Absent: the live hub. */
  filename?: readonly string[];
  function?: readonly string[];
  output: "table" | StructuredFormat;
  issues: "text" | "json";
}>;

type Looked = Readonly<{
  hub: string;
  verifications: readonly Verification[];
  unreadable: readonly Issue[];
}>;

/** On the live hub: what lies beyond it is looked at, too, as far as it can be reached from here. */
async function lookAtLiveHub(chosen: readonly Controller[]): Promise<Looked> {
  const external = openExternalPorts(process.env);
  try {
    return await onLiveHub(async (hub) => ({
      hub: hub.id,
      verifications: await verifyHub(hub, chosen, () => new Date(), external),
      unreadable: [],
    }));
  } finally {
    external.close();
  }
}

async function lookAt({ filename, function: names }: VerifyOptions): Promise<Looked> {
  const chosen = chosenFunctions(controllers, names);
  if (!filename) return inEnvironment(() => lookAtLiveHub(chosen));
  const { objects, issues } = await readSources(filename, () => text(process.stdin));
  const hub = manifestHub(
    "urn:hubrelay:manifests",
    objects.map(({ object }) => object),
  );
  return {
    hub: hub.id,
    verifications: await verifyHub(hub, chosen, () => new Date()),
    unreadable: issues,
  };
}

/**
 * `hubrelay verify`: what the hub holds against what it should hold, on standard output; issues on standard error.
 * Answers the exit code: 1 when anything differs or is wrong.
 */
export async function verify(options: VerifyOptions): Promise<number> {
  const { output, issues: format } = options;
  const { hub, verifications, unreadable } = await lookAt(options);
  const differs = verifications.some((one) => one.differs);
  const exitCode = tellIssues([...unreadable, ...verifications.flatMap(({ issues }) => issues)], format);
  print(
    output === "table"
      ? verificationTable(verifications)
      : structured({ hub, differs, verifications }, output),
  );
  return verifications.some(needsAttention) ? exitCodes.issues : exitCode;
}
