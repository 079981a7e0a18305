import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, connect } from "#shared/adapters/hub/kubernetes/connection.ts";
import { type Access, accessText } from "#shared/domain/kubernetes/access.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { UserAccess } from "../servers/entrance.ts";

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
