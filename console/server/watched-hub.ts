import { setTimeout as sleep } from "node:timers/promises";
import { controlPlaneOperator } from "#functions/hosted-clusters/well-known-names.ts";
import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { inputKinds } from "#functions/mirror-config/watches.ts";
import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { isSameJson } from "#shared/domain/kubernetes/json/values.ts";
import {
  byNamespaceAndName,
  type Kind,
  type KubernetesObject,
  kinds,
  namespacedName,
} from "#shared/domain/kubernetes/object.ts";
import { isMachineConfigName, isMergedName } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { withOnlyPullFiles, writesPullFiles } from "#shared/domain/openshift/machine-config/pool-files.ts";
import { functionLabel } from "#shared/domain/plan/object-events.ts";
import { messageOf } from "#shared/domain/text/error-text.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub, HubReader, WatchOptions } from "#shared/ports/hub.ts";
import { type Verification, verify } from "#shared/runtime/verify.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { verifyHostedClusters } from "./verify-hosted-clusters.ts";

type Watched = Readonly<{
  kind: Kind;
  options?: WatchOptions;
  /** Returns the part of an object that is kept; undefined for an object that no page shows. */
  keep?(object: KubernetesObject): KubernetesObject | undefined;
}>;

/** Keeps only what configures mirrors: a hub has hundreds of MachineConfigs of up to 1 MB. */
function keepMachineConfig(object: KubernetesObject): KubernetesObject | undefined {
  const { name } = object.metadata;
  if (isMachineConfigName(name)) return object;
  return !isMergedName(name) && writesPullFiles(object) ? withOnlyPullFiles(object) : undefined;
}

const watched: readonly Watched[] = [
  kinds.ClusterGroupUpgrade,
  kinds.PreCachingReport,
  kinds.ReadinessReport,
  kinds.PreCachingConfig,
  kinds.ManagedCluster,
  kinds.ImageBasedGroupUpgrade,
  ...inputKinds,
  kinds.FeatureGate,
  kinds.HostedCluster,
  kinds.HostedControlPlane,
  kinds.NodePool,
].map((kind): Watched => ({ kind }));

const selected: readonly Watched[] = [
  { kind: kinds.MachineConfig, keep: keepMachineConfig },
  { kind: kinds.Event, options: { withLabel: functionLabel } },
  // A control plane has dozens of Deployments. Only this Deployment has the registry overrides.
  { kind: kinds.Deployment, options: { name: controlPlaneOperator } },
];

/** All watches of the console. */
export const consoleWatches: readonly Watched[] = [...watched, ...selected];

/** The functions whose input is all watched. Hosted clusters are verified separately, from the watched kinds only. */
const verified = [mirrorConfig, maintenanceWindow];

/** Interval of requests that check whether the hub responds. A watch is silent while nothing changes. */
const contactMs = 5_000;
const lostAfterMs = 3 * contactMs;
const verifyMs = 5_000;
const verifyAgainMs = 60_000;

export type HubContact = Readonly<{
  /** Milliseconds since the last response of the hub; undefined before the first response. */
  ageMs: number | undefined;
  /** Why the hub cannot be read, or which kinds are not read yet; undefined if there is no problem. */
  problem: string | undefined;
}>;

/** A copy of a hub's objects in memory, which watches keep current. Reading it sends no request to the hub. */
export type WatchedHub = Readonly<{
  id: string;
  /** Increases with every change. */
  version(): number;
  contact(): HubContact;
  /** Checks now whether the hub responds; this also happens regularly. */
  ask(): Promise<void>;
  /**
   * Returns the objects that were read. Waits for the first read of all kinds, at most five seconds, and for the first
   * verification.
   */
  snapshot(): Promise<Snapshot>;
  ended: Promise<void>;
}>;

type Objects = Map<string, KubernetesObject>;

type VerifiedHub = Readonly<{
  /** Returns the last result, and starts a verification if it is due. Only the first call waits for its end. */
  current(): Promise<readonly Verification[]>;
  version(): number;
  problem(): string | undefined;
}>;

/** Verifies the hub in the background, since it takes long. */
function verificationOf(
  reader: HubReader,
  isWatched: (kind: Kind) => boolean,
  hubVersion: () => number,
  now: () => Date,
): VerifiedHub {
  let verifications: readonly Verification[] | undefined;
  let version = 0;
  let problem: string | undefined;
  let verifiedAt = Number.NEGATIVE_INFINITY;
  let verifiedVersion = -1;
  let verifying: Promise<void> | undefined;

  async function verifyNow(): Promise<void> {
    verifiedVersion = hubVersion();
    verifiedAt = performance.now();
    try {
      const found = [
        ...(await verify(reader, verified, now, noExternalPorts)),
        ...(await verifyHostedClusters(reader, isWatched, now)),
      ];
      if (verifications && !isSameJson(verifications, found)) version++;
      verifications = found;
      problem = undefined;
    } catch (error) {
      problem = messageOf(error);
    }
  }

  function isDue(): boolean {
    const age = performance.now() - verifiedAt;
    return age > verifyAgainMs || (hubVersion() !== verifiedVersion && age > verifyMs);
  }

  return {
    async current() {
      if (isDue())
        verifying ??= verifyNow().finally(() => {
          verifying = undefined;
        });
      if (!verifications) await verifying;
      return verifications ?? [];
    },
    version: () => version,
    problem: () => problem,
  };
}

/** Watches a hub until the signal aborts. */
export function watchHub(
  hub: Pick<Hub, "id" | "get" | "watch">,
  signal: AbortSignal,
  now = () => new Date(),
): WatchedHub {
  const objectsOf = new Map<Kind, Objects>(consoleWatches.map(({ kind }) => [kind, new Map()]));
  const unread = new Set(consoleWatches.map(({ kind }) => kind.kind));
  const sorted = new Map<Kind, readonly KubernetesObject[]>();
  const synced = Promise.withResolvers<void>();
  // A kind that cannot be read must not block pages. It stays unread, and the pages name it.
  const firstRead = Promise.race([synced.promise, sleep(contactMs, undefined, { ref: false })]);
  let version = 0;
  let reachedAt: number | undefined;
  let problem: string | undefined;

  async function watch({ kind, options = {}, keep = (object) => object }: Watched): Promise<void> {
    const objects = objectsOf.get(kind) ?? new Map();
    for await (const change of hub.watch(kind, signal, options)) {
      version++;
      sorted.delete(kind);
      if (change.verb === "synced") {
        unread.delete(kind.kind);
        if (unread.size === 0) synced.resolve();
        continue;
      }
      const { verb, object } = change;
      const key = namespacedName(object.metadata);
      const kept = verb === "delete" ? undefined : keep(object);
      if (kept) objects.set(key, kept);
      else objects.delete(key);
    }
  }

  async function ask(): Promise<void> {
    try {
      await hub.get(kinds.ClusterVersion, "version");
      reachedAt = performance.now();
      problem = undefined;
    } catch (error) {
      problem = messageOf(error);
    }
  }

  const list = (kind: Kind): readonly KubernetesObject[] => {
    const known = sorted.get(kind);
    if (known) return known;
    const objects = [...(objectsOf.get(kind)?.values() ?? [])].sort(byNamespaceAndName);
    sorted.set(kind, objects);
    return objects;
  };
  // A reconcile makes dozens of requests, so they are answered from memory.
  const reader: HubReader = {
    id: hub.id,
    get: async (kind, name, namespace) =>
      objectsOf
        .get(kind)
        ?.get(namespacedName({ name, ...(kind.namespaced && namespace ? { namespace } : {}) })),
    list: (kind, options) => manifestHub(hub.id, list(kind)).list(kind, options),
  };

  const verification = verificationOf(
    reader,
    (kind) => objectsOf.has(kind),
    () => version,
    now,
  );

  const contacts = setInterval(() => void ask(), contactMs);
  let failure: string | undefined;
  const ended = Promise.all(consoleWatches.map(watch)).then(
    () => undefined,
    // A watch recovers from all errors of a hub. After any other error, the pages must not look current.
    (error: unknown) => {
      failure = `A watch has failed, start the console again: ${String(error)}`;
    },
  );
  signal.addEventListener("abort", () => clearInterval(contacts), { once: true });
  void ask();

  return {
    id: hub.id,
    version: () => version + verification.version(),
    ask,
    contact() {
      const ageMs = reachedAt === undefined ? undefined : performance.now() - reachedAt;
      if (failure !== undefined) return { ageMs, problem: failure };
      if (problem !== undefined) return { ageMs, problem: `The hub cannot be reached: ${problem}` };
      if (ageMs !== undefined && ageMs > lostAfterMs)
        return { ageMs, problem: "The hub does not respond: what is shown is old." };
      const undecided = verification.problem();
      if (undecided !== undefined)
        return { ageMs, problem: `What functions would do cannot be decided: ${undecided}` };
      const missing = [...unread].join(", ");
      return { ageMs, problem: missing === "" ? undefined : `Not read yet: ${missing}` };
    },
    async snapshot() {
      await firstRead;
      return { now: now(), list, unread: [...unread], verifications: await verification.current() };
    },
    ended,
  };
}
