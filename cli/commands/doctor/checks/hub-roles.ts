import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";
import { parseRbacManifest, type RbacManifest } from "#shared/domain/kubernetes/roles.ts";
import { packageFile } from "../../../program/package-files.ts";

const folder = packageFile("infra/hub-rbac");

async function hubRbacDocuments(): Promise<readonly unknown[]> {
  const { resources } = z
    .object({ resources: z.array(z.string()) })
    .parse(parse(await readFile(join(folder, "kustomization.yaml"), "utf8")));
  const files = await Promise.all(resources.map((name) => readFile(join(folder, name), "utf8")));
  return files.flatMap((text) => parseAllDocuments(text).map((document): unknown => document.toJS()));
}

/**
 * Reads the objects of `infra/hub-rbac`, which define the permissions of each process on a hub, in the order of its
 * kustomization. Throws when an object is not a valid RBAC object.
 */
export async function hubRbacManifests(): Promise<readonly RbacManifest[]> {
  return (await hubRbacDocuments()).map((document) => parseRbacManifest(document));
}
