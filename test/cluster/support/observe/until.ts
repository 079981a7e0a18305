import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, connect } from "#shared/adapters/hub/kubernetes/connection.ts";
import { type Access, accessText } from "#shared/domain/kubernetes/access.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { Kind, KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { UserAccess } from "../servers/entrance.ts";

type Identity = Readonly<{ name: string; namespace?: string }>;

const isOf = ({ name, namespace }: Identity, { metadata }: KubernetesObject) =>
  metadata.name === name && metadata.namespace === namespace;

/** Follows an object until `isDone` accepts its state (undefined: absent); throws with the last state after a minute. */
async function follow(
  hub: Hub,
  kind: Kind,
  object: Identity,
  isDone: (state: KubernetesObject | undefined) => boolean,
): Promise<KubernetesObject | undefined> {
  const signal = AbortSignal.timeout(60_000);
  let state: KubernetesObject | undefined;
  let isSynced = false;
  for await (const change of hub.watch(kind, signal)) {
    if (change.verb === "synced") isSynced = true;
    else if (!isOf(object, change.object)) continue;
    else state = change.verb === "delete" ? undefined : change.object;
    if ((state || isSynced) && isDone(state)) return state;
  }
  throw new Error(
    `${kind.kind} ${object.name} did not become what was waited for; it is ${JSON.stringify(state)}`,
  );
}

/** Returns the object as soon as it exists in the expected state; fails after a minute. */
export async function untilObject(
  hub: Hub,
  kind: Kind,
  object: Identity,
  isWanted: (object: KubernetesObject) => boolean = () => true,
): Promise<KubernetesObject> {
  const found = await follow(hub, kind, object, (state) => state !== undefined && isWanted(state));
  if (!found) throw new Error("what is wanted is there");
  return found;
}

/** Resolves when the object is gone; fails after a minute. */
export async function untilGone(hub: Hub, kind: Kind, object: Identity): Promise<void> {
  await follow(hub, kind, object, (state) => state === undefined);
}

/** Any request as the user of this access. */
export const connectionOf = ({ kubeConfig }: UserAccess): Connection =>
  connect(kubeConfig, { userAgent: "hubrelay-test", requestTimeoutMs: 10_000, environment: {} });

async function isAllowed(
  api: Connection,
  { verb, group, resource, name, namespace }: Access,
): Promise<boolean> {
  const [plural = "", subresource] = resource.split("/");
  const resourceAttributes = { verb, group, resource: plural, subresource, name, namespace };
  const review = await api.send({
    what: "review an access",
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes },
    },
  });
  return isRecord(review) && isRecord(review.status) && review.status.allowed === true;
}

/** Waits for new roles: the API server learns of them through a watch of its own, a moment after they are stored. */
export async function untilAllowed(userAccess: UserAccess, grants: readonly Access[]): Promise<void> {
  const api = connectionOf(userAccess);
  try {
    for (const grant of grants)
      for (let patience = 100; !(await isAllowed(api, grant)); patience--) {
        if (patience === 0) throw new Error(`not allowed after all: ${accessText(grant)}`);
        await sleep(50);
      }
  } finally {
    api.close();
  }
}
