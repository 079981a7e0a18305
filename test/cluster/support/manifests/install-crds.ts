import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { HubError } from "#shared/ports/hub.ts";
import type { Crd } from "./crds.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const patienceMs = 120_000;

/** Resolves when the server can list the kind: serving a new CRD takes a moment. */
async function served(api: Connection, { name, group, version, plural }: Crd): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      const query = { limit: "1" };
      await api.send({
        what: `list ${name}`,
        method: "GET",
        path: `/apis/${group}/${version}/${plural}`,
        query,
      });
      return;
    } catch (error) {
      if (!(error instanceof HubError && error.code === "NotFound") || performance.now() > deadline)
        throw error;
      await sleep(50);
    }
  }
}

/** Installs CustomResourceDefinitions and waits until their objects are available. */
export async function installCrds(api: Connection, crds: readonly Crd[]): Promise<void> {
  await Promise.all(
    crds.map(({ name, manifest }) =>
      api.send({ what: `create ${name}`, method: "POST", path: definitions, body: manifest }),
    ),
  );
  await Promise.all(crds.map((crd) => served(api, crd)));
}

/** Removes a CustomResourceDefinition; its objects are removed a moment later. */
export async function removeCrd(api: Connection, { name }: Crd): Promise<void> {
  await api.send({ what: `delete ${name}`, method: "DELETE", path: `${definitions}/${name}` });
}
