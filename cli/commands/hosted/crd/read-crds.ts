import type { Rule } from "#shared/domain/crd/check-rules.ts";
import { readCrd, type Schema } from "#shared/domain/crd/schema.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readSources } from "../../../io/manifest-source.ts";
import { UsageError } from "../../../program/exit-codes.ts";
import { compileRules } from "./cel-rules.ts";

/** Returns the schema of an object's kind and version; undefined when no CRD has it. */
export type Schemas = (object: KubernetesObject) => Schema<Rule> | undefined;

const featureSet = "release.openshift.io/feature-set";

/** The variant of a CRD for the default feature set wins over others; without one, the first does. */
function isDefault({ metadata }: KubernetesObject): boolean {
  const features = metadata.annotations?.[featureSet];
  return features === undefined || features === "" || features === "Default";
}

const keyOf = ({ apiVersion, kind }: Readonly<{ apiVersion: string; kind: string }>) =>
  `${apiVersion} ${kind}`;

/** Returns the schemas of CustomResourceDefinitions, each compiled on first use. */
function schemasOf(definitions: readonly KubernetesObject[]): Schemas {
  const raw = new Map<string, Schema>();
  const ordered = [...definitions].sort((a, b) => Number(isDefault(b)) - Number(isDefault(a)));
  for (const { schema, ...names } of ordered.flatMap(readCrd)) {
    const key = keyOf(names);
    if (!raw.has(key)) raw.set(key, schema);
  }
  const compiled = new Map<string, Schema<Rule>>();
  return (object) => {
    const key = keyOf(object);
    const schema = raw.get(key);
    if (!schema) return undefined;
    const known = compiled.get(key) ?? compileRules(schema);
    compiled.set(key, known);
    return known;
  };
}

/** Reads the CRDs in a file or directory, with issues of what could not be read. Throws `UsageError` if it has none. */
export async function readCrds(path: string): Promise<{ schemaOf: Schemas; issues: readonly Issue[] }> {
  const { objects, issues } = await readSources([path]);
  const definitions = objects
    .map(({ object }) => object)
    .filter(({ kind }) => kind === "CustomResourceDefinition");
  if (definitions.length > 0) return { schemaOf: schemasOf(definitions), issues };
  const why = issues[0] ? `: ${issues[0].message}` : ".";
  throw new UsageError(`${path} has no CustomResourceDefinition${why}`);
}
