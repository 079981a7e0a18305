import { controllers } from "#functions/controllers.ts";
import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { openExternalPorts } from "#shared/adapters/open-external-ports.ts";
import { fileUpdateGraph, updateGraphIn } from "#shared/adapters/update-graph/open-update-graph.ts";
import { coverageIssues } from "#shared/domain/issues/coverage.ts";
import { hasErrors } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { type ExternalPorts, noExternalPorts } from "#shared/ports/external-ports.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { needsAttention, type Verification, verify as verifyHub } from "#shared/runtime/verify.ts";
import { chosenSide } from "../../io/clusters/cluster-sides.ts";
import type { PlaceIssues } from "../../io/hub-manifests.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { manifestsOrHub, placesOnHub } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { printResult, type ResultOptions } from "../../io/print-result.ts";
import { progressBar } from "../../io/progress-bar.ts";
import { withCoverage } from "../../io/report/side-lists.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { chosenByName } from "../../program/option-values.ts";
import { type VerifiedInput, verificationCoverage, verificationTable } from "./verification.ts";

export type VerifyOptions = Readonly<{
  function?: readonly string[];
  output: "table" | StructuredFormat;
  requireCoverage?: true;
}> &
  ResultOptions;

type Found = Readonly<{
  hub: string;
  verifications: readonly Verification[];
  input: VerifiedInput;
  place: PlaceIssues;
}>;

async function verifyWithProgress(
  hub: HubReader,
  chosen: readonly Controller[],
  external: ExternalPorts,
): Promise<readonly Verification[]> {
  const bar = progressBar();
  const onVerified = (name: string, done: number, total: number) =>
    bar.show(`keys of ${name} verified`, done, total);
  return verifyHub(hub, chosen, () => new Date(), external, onVerified).finally(bar.clear);
}

async function verifyLiveHub(chosen: readonly Controller[]): Promise<Found> {
  const external = openExternalPorts(process.env);
  try {
    return await onLiveHub(async (hub) => ({
      hub: hub.id,
      verifications: await verifyWithProgress(hub, chosen, external),
      input: {
        objects: [(await hub.get(kinds.ClusterVersion, "version")) ?? []].flat(),
        kinds: [],
        unread: [],
        issues: [],
        isWhole: true,
      },
      place: await placesOnHub(),
    }));
  } finally {
    external.close();
  }
}

async function verifyInput({ filename, function: names }: VerifyOptions): Promise<Found> {
  const chosen = chosenByName("function", controllers, names);
  if (!filename) return inEnvironment(() => verifyLiveHub(chosen));
  // Kinds that functions only read are left out: sources of watches, and objects that a watch selects by name.
  const reconciled = chosen.flatMap(({ watches }) =>
    watches
      .filter(({ sourceOf, selector }) => sourceOf === undefined && typeof selector?.name !== "string")
      .map(({ kind }) => kind),
  );
  const read = await manifestsOrHub(filename, reconciled);
  requireObjects(read, { paths: filename, command: "verify", kinds: reconciled });
  const { issues, place, unread, enforced, ...side } = chosenSide(read, reconciled);
  const { objects } = side;
  const hub = manifestHub("urn:hubrelay:manifests", objects);
  const graph = process.env.HUBRELAY_UPDATE_GRAPH || updateGraphIn(...filename);
  const external = { ...noExternalPorts, ...(graph && { updateGraph: fileUpdateGraph(graph) }) };
  return {
    hub: hub.id,
    verifications: await verifyWithProgress(hub, chosen, external),
    input: {
      objects,
      kinds: reconciled,
      unread,
      enforced,
      issues,
      isWhole: false,
    },
    place,
  };
}

/** Runs `hubrelay verify`: prints the differences between the hub and its desired state. Returns the exit code. */
export function verify(options: VerifyOptions): Promise<number> {
  const { output, requireCoverage } = options;
  return printResult(async () => {
    const { hub, verifications, input, place } = await verifyInput(options);
    if (verifications.length === 0 && !hasErrors(input.issues))
      throw new UsageError(
        `nothing to check: ${options.filename ? options.filename.join(", ") : `the hub ${hub}`} has no object that a function reconciles. Name another hub, manifests or functions.`,
      );
    const differs = verifications.some((one) => one.differs);
    const issues = [...input.issues, ...verifications.flatMap((one) => one.issues)];
    const coverage = verificationCoverage(verifications, { ...input, issues });
    const isPartial = coverage.unread.length > 0;
    const text = (clean: Readonly<{ verifications: readonly Verification[] }>) =>
      verificationTable(clean.verifications, isPartial);
    return {
      text: rendered({ hub, differs, verifications, coverage }, output, withCoverage(text)),
      issues: [...place(issues), ...(requireCoverage ? coverageIssues(coverage) : [])],
      ...(verifications.some(needsAttention) && { exitCode: exitCodes.issues }),
    };
  }, options);
}
