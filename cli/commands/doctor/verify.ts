import { controllers } from "#functions/controllers.ts";
import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { openExternalPorts } from "#shared/adapters/open-external-ports.ts";
import { fileUpdateGraph, updateGraphIn } from "#shared/adapters/update-graph/file-update-graph.ts";
import { hasErrors, type Issue } from "#shared/domain/issues/issue.ts";
import { fieldsOf } from "#shared/domain/json/values.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  builtInPool,
  builtInPools,
  machineConfigName,
} from "#shared/domain/machine-config/machine-config.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { needsAttention, type Verification, verify as verifyHub } from "#shared/runtime/verify.ts";
import { chosenSide } from "../../io/clusters/cluster-sides.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { manifestsOrHub, type PlaceIssues, withoutPlaces } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { printResult, type ResultOptions } from "../../io/print-result.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { chosenFunctions } from "../../program/option-values.ts";
import { verificationTable } from "./verification-table.ts";

export type VerifyOptions = Readonly<{
  function?: readonly string[];
  releaseVersion?: string;
  output: "table" | "wide" | StructuredFormat;
}> &
  ResultOptions;

const now = () => new Date();

type Found = Readonly<{
  hub: string;
  verifications: readonly Verification[];
  unreadable: readonly Issue[];
  place: PlaceIssues;
}>;

/** Returns the hub with a ClusterVersion that runs this version, whatever its history says. */
function runningVersion(hub: HubReader, version: string | undefined): HubReader {
  if (version === undefined) return hub;
  const history = [{ state: "Completed", version }];
  return {
    ...hub,
    async get(kind, name, namespace) {
      const found = await hub.get(kind, name, namespace);
      if (!found || kind !== kinds.ClusterVersion) return found;
      return { ...found, status: { ...fieldsOf(found.status), history } };
    },
  };
}

/** Adds the pools of the generated MachineConfigs to manifests that have no pool, so that these are compared. */
function withGeneratedPools(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  if (objects.some((object) => isKind(kinds.MachineConfigPool, object))) return objects;
  const names = new Set(
    objects.filter((object) => isKind(kinds.MachineConfig, object)).map(({ metadata }) => metadata.name),
  );
  const pools = builtInPools.filter((pool) => names.has(machineConfigName(pool)));
  return [...objects, ...pools.map(builtInPool)];
}

/** Also reads those registries and other systems beyond the hub that can be reached from here. */
async function verifyLiveHub(chosen: readonly Controller[], version: string | undefined): Promise<Found> {
  const external = openExternalPorts(process.env);
  try {
    return await onLiveHub(async (hub) => ({
      hub: hub.id,
      verifications: await verifyHub(runningVersion(hub, version), chosen, now, external),
      unreadable: [],
      place: withoutPlaces,
    }));
  } finally {
    external.close();
  }
}

async function verifyInput({ filename, function: names, releaseVersion }: VerifyOptions): Promise<Found> {
  const chosen = chosenFunctions(controllers, names);
  if (!filename) return inEnvironment(() => verifyLiveHub(chosen, releaseVersion));
  // Objects that others are derived from are nothing to reconcile, nor is one of a certain name that decides something.
  const reconciled = chosen.flatMap(({ watches }) =>
    watches
      .filter(({ sourceOf, selector }) => sourceOf === undefined && typeof selector?.name !== "string")
      .map(({ kind }) => kind),
  );
  const read = await manifestsOrHub(filename, reconciled);
  requireObjects(read, { paths: filename, command: "verify", kinds: reconciled });
  const { issues, place, ...side } = chosenSide(read, reconciled);
  const objects = withGeneratedPools(side.objects);
  const hub = runningVersion(manifestHub("urn:hubrelay:manifests", objects), releaseVersion);
  const graph = process.env.HUBRELAY_UPDATE_GRAPH || updateGraphIn(...filename);
  const external = { ...noExternalPorts, ...(graph && { updateGraph: fileUpdateGraph(graph) }) };
  return {
    hub: hub.id,
    verifications: await verifyHub(hub, chosen, now, external),
    unreadable: issues,
    place,
  };
}

/**
 * Runs `hubrelay verify`: prints the differences between the hub and its desired state on standard output, issues on
 * standard error. Returns the exit code: 1 when something differs or has an error.
 */
export function verify(options: VerifyOptions): Promise<number> {
  const { output } = options;
  return printResult(async () => {
    const { hub, verifications, unreadable, place } = await verifyInput(options);
    if (verifications.length === 0 && !hasErrors(unreadable))
      throw new UsageError(
        `nothing to check: ${options.filename ? options.filename.join(", ") : `the hub ${hub}`} has no object that a function reconciles. Name another hub, manifests or functions.`,
      );
    const differs = verifications.some((one) => one.differs);
    return {
      text: rendered({ hub, differs, verifications }, output, (clean) =>
        verificationTable(clean.verifications, { isWide: output === "wide" }),
      ),
      issues: place([...unreadable, ...verifications.flatMap(({ issues }) => issues)]),
      ...(verifications.some(needsAttention) && { exitCode: exitCodes.issues }),
    };
  }, options);
}
