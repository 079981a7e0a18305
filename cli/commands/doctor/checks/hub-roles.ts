import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";
import { parseRbacManifest, type RbacManifest } from "#shared/domain/kubernetes/roles.ts";
import { packageFile } from "../../../program/package-files.ts";

const folder = packageFile("infra/hub-rbac");

/** The documents of `infra/hub-rbac`, in the order of its kustomization, as they are sent to a hub. */
async function hubRbacDocuments(): Promise<readonly unknown[]> {
  const { resources } = z
    .object({ resources: z.array(z.string()) })
    .parse(parse(await readFile(join(folder, "kustomization.yaml"), "utf8")));
  const files = await Promise.all(resources.map((name) => readFile(join(folder, name), "utf8")));
  return files.flatMap((text) => parseAllDocuments(text).map((document): unknown => document.toJS()));
}

/**
 * The objects of `infra/hub-rbac`: the one place that says what each process may do on a hub. Throws when one is of
 * another kind or form than RBAC needs.
 */
export async function hubRbacManifests(): Promise<readonly RbacManifest[]> {
  return (await hubRbacDocuments()).map((document) => parseRbacManifest(document));
}
