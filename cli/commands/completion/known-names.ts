import { hubLocation } from "#shared/adapters/settings/hub-location.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { ownValue } from "#shared/domain/kubernetes/json/values.ts";
import { type Kind, kinds, type ObjectMeta } from "#shared/domain/kubernetes/object.ts";
import { openLiveHub } from "../../io/live-hub.ts";
import { chooseHub, type HubOptions, liveHubEnvironment } from "../../program/hub-location.ts";

/** What names depend on of what was typed before. */
export type Typed = HubOptions & Readonly<{ namespace?: string }>;

/** Longer than this nobody waits for a completion. */
const patienceMs = 3_000;

async function listed(kind: Kind, namespace?: string): Promise<readonly ObjectMeta[]> {
  const hub = await openLiveHub();
  const timer = setTimeout(() => hub.close(), patienceMs);
  try {
    const objects = await hub.list(kind, namespace === undefined ? {} : { namespace });
    return objects.map(({ metadata }) => metadata);
  } finally {
    clearTimeout(timer);
    hub.close();
  }
}

const namesOf = (kind: Kind) => async () => (await listed(kind)).map(({ name }) => name);

/** Both forms that a command takes: the name, and namespace/name. */
const qualifiedNamesOf =
  (kind: Kind) =>
  async ({ namespace }: Typed) => {
    const found = await listed(kind, namespace);
    return found.flatMap(({ namespace: its, name }) => [
      name,
      ...(its === undefined ? [] : [`${its}/${name}`]),
    ]);
  };

async function namespaces(): Promise<readonly string[]> {
  const selectable = [kinds.HostedCluster, kinds.ClusterGroupUpgrade, kinds.MaintenanceWindow];
  const found = await Promise.allSettled(selectable.map((kind) => listed(kind)));
  return found.flatMap((one) =>
    one.status === "fulfilled" ? one.value.flatMap(({ namespace }) => namespace ?? []) : [],
  );
}

async function contexts(): Promise<readonly string[]> {
  const location = hubLocation(liveHubEnvironment());
  if (location.from !== "file") return [];
  const { contextNames } = await import("#shared/adapters/hub/kubernetes/kube-config.ts");
  return contextNames(location.path);
}

const names = (items: readonly Readonly<{ name: string }>[]) => items.map(({ name }) => name);

// Loaded when they are completed: all functions together take longer to load than most completions to print.
const functions = async () => names((await import("#functions/controllers.ts")).controllers);
const watchingFunctions = async () => names((await import("#functions/watches.ts")).allWatches);

async function accounts(): Promise<readonly string[]> {
  const { neededAccess } = await import("../doctor/checks/access-rows.ts");
  const { hubRbacManifests } = await import("../doctor/checks/access-rows.ts");
  return names(neededAccess(await hubRbacManifests()));
}

/**
 * Where the names of an option's values, or of a command's argument, come from; with the command before it where that
 * matters.
 */
const sources: Readonly<Record<string, (typed: Typed) => Promise<readonly string[]>>> = {
  "--cgu": qualifiedNamesOf(kinds.ClusterGroupUpgrade),
  "--hosted": qualifiedNamesOf(kinds.HostedCluster),
  "--account": accounts,
  "--cluster": namesOf(kinds.ManagedCluster),
  "--context": contexts,
  "--function": functions,
  "forward --function": watchingFunctions,
  "resync --function": watchingFunctions,
  "--namespace": namespaces,
  "--pool": namesOf(kinds.MachineConfigPool),
  "--queue": async () => queueUrls(process.env).names,
  cgu: qualifiedNamesOf(kinds.ClusterGroupUpgrade),
  name: qualifiedNamesOf(kinds.HostedCluster),
};

/**
 * Returns the names that an option (`--pool`) or argument (`cgu`) of a command may have, each once. None when they cannot
 * be read within seconds: an error is of no use in the middle of a command line.
 */
export async function knownNames(of: string, command: string, typed: Typed): Promise<readonly string[]> {
  const read = ownValue(sources, `${command} ${of}`) ?? ownValue(sources, of);
  if (!read) return [];
  try {
    // The context that is completed need not exist yet.
    if (of !== "--context") chooseHub(typed);
    else chooseHub(typed.kubeconfig === undefined ? {} : { kubeconfig: typed.kubeconfig });
    return [...new Set(await read(typed))];
  } catch {
    return [];
  }
}
