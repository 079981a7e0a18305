import { setTimeout as sleep } from "node:timers/promises";
import { kubernetesHub } from "#shared/adapters/kubernetes-hub.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { HubError } from "#shared/ports/hub.ts";
import { createManifest } from "./apply-manifests.ts";
import type { Entrance } from "./entrance.ts";
import type { TestHub } from "./hub.ts";
import { renderKustomization } from "./kustomize.ts";
import { tokenFor } from "./service-account.ts";

/** The API server learns of new roles through a watch of its own, a moment after they are stored. */
async function untilAllowed({ kubeConfig }: Entrance): Promise<void> {
  const hub = kubernetesHub(kubeConfig);
  for (;;) {
    try {
      await hub.list(kinds.ImageDigestMirrorSet);
      hub.close();
      return;
    } catch (error) {
      if (!(error instanceof HubError && error.code === "Forbidden")) throw error;
      await sleep(50);
    }
  }
}

/** Applies `infra/hub-rbac`. Answers a way in as each of its accounts, with that account's rights alone. */
export async function hubAccounts(server: TestHub): Promise<(name: string) => Promise<Entrance>> {
  for (const object of await renderKustomization("infra/hub-rbac")) await createManifest(server.api, object);
  return async (name) => {
    const token = await tokenFor(server.api, { namespace: "hubrelay", name });
    const entrance = await server.entrance(name, { token });
    await untilAllowed(entrance);
    return entrance;
  };
}

/** Applies `infra/hub-rbac`; HUBRELAY_HUB of each process, under its own account. */
export async function processAccounts(
  server: TestHub,
): Promise<Readonly<{ forward: string; work: string; resync: string }>> {
  const entranceOf = await hubAccounts(server);
  const open = async (name: string) => `kubeconfig:${(await entranceOf(name)).kubeConfigFile}`;
  return {
    forward: await open("hubrelay-forwarder"),
    work: await open("hubrelay-mirror-config"),
    resync: await open("hubrelay-resync"),
  };
}
