import { grantsOf } from "#shared/domain/kubernetes/roles.ts";
import { hubRbacManifests } from "../../../../cli/commands/doctor/checks/access-rows.ts";
import { applyHubRbac, type precachingSettings } from "../manifests/hub-rbac.ts";
import { untilAllowed } from "../observe/until-allowed.ts";
import type { UserAccess } from "../servers/entrance.ts";
import type { TestHub } from "./hub.ts";
import { tokenFor } from "./service-account.ts";

/**
 * Applies `infra/hub-rbac`, with these settings of pre-caching if any. Returns access as each of its accounts, with only
 * that account's permissions.
 */
export async function hubAccounts(
  server: TestHub,
  settings?: ReturnType<typeof precachingSettings>,
): Promise<(name: string, port?: number) => Promise<UserAccess>> {
  await applyHubRbac(server.api, settings);
  const manifests = await hubRbacManifests();
  return async (name, port) => {
    const token = await tokenFor(server.api, { namespace: "hubrelay", name });
    await untilAllowed(await server.userAccess(name, { token }), grantsOf(name, manifests));
    return server.userAccess(name, { token }, port);
  };
}

/** Applies `infra/hub-rbac`; returns HUBRELAY_HUB of each process, under its own account; `port` as in `userAccess`. */
export async function processAccounts(
  server: TestHub,
  port?: number,
): Promise<Readonly<{ forward: string; work: string; resync: string }>> {
  const userAccessOf = await hubAccounts(server);
  const open = async (name: string) => `kubeconfig:${(await userAccessOf(name, port)).kubeConfigFile}`;
  return {
    forward: await open("hubrelay-forwarder"),
    work: await open("hubrelay-mirror-config"),
    resync: await open("hubrelay-resync"),
  };
}
