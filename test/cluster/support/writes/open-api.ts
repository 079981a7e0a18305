import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { fieldsOf, objectsOf, type UnknownRecord } from "#shared/domain/kubernetes/json/values.ts";
import { paths } from "../../../../infra/paths.ts";
import { moduleDirectory } from "../programs/go.ts";
import type { Schema } from "./schema-mutations.ts";

/** Reads the schema of Ignition 3.5, which no API server has: a MachineConfig contains any object there. */
async function ignitionSchema(): Promise<Schema> {
  const module = "github.com/coreos/ignition/v2";
  const folder = await moduleDirectory(join(paths.root, "bench/peers/ignition"), module);
  const document: unknown = JSON.parse(
    await readFile(join(folder, "config/v3_5/schema/ignition.json"), "utf8"),
  );
  return { node: document, document };
}

/** Returns a function to the schema of an object: that of its kind on this API server, or of Ignition. */
export async function schemasOf(
  api: Connection,
  apiVersions: readonly string[],
): Promise<(value: UnknownRecord) => Schema | undefined> {
  const ignition = await ignitionSchema();
  const schemas = new Map<string, Schema>();
  for (const apiVersion of apiVersions) {
    const path = `/openapi/v3/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}`;
    const document = await api.send({ what: `read the schemas of ${apiVersion}`, method: "GET", path });
    for (const node of Object.values(fieldsOf(fieldsOf(fieldsOf(document).components).schemas))) {
      const [kind, ...others] = objectsOf(fieldsOf(node)["x-kubernetes-group-version-kind"]);
      if (kind && others.length === 0) schemas.set(`${apiVersion} ${kind.kind}`, { node, document });
    }
  }
  return ({ apiVersion, kind, ignition: isIgnition }) =>
    isIgnition ? ignition : schemas.get(`${apiVersion} ${kind}`);
}
