import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readManifests } from "#shared/domain/kubernetes/manifests.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { convertMirrorPolicies } from "#shared/domain/mirrors/convert.ts";
import { proveMigration } from "#shared/domain/mirrors/convert-proof.ts";
import { migrateLikeOc } from "#shared/domain/mirrors/oc-migrate.ts";

/** Real manifests from public repositories, kept beside the checkout, one JSON object a line. */
const corpus = fileURLToPath(new URL("../../shared/corpus/real-manifests.jsonl", import.meta.url));

type Sample = Readonly<{
  kind: string;
  apiVersion?: string;
  name?: string | null;
  metadata?: Readonly<Record<string, unknown>>;
  spec?: unknown;
  yaml_lines?: readonly string[];
}>;

const policies = (existsSync(corpus) ? readFileSync(corpus, "utf8").trim().split("\n") : [])
  .map((line): Sample => JSON.parse(line))
  .filter(({ kind }) => kind === "ImageContentSourcePolicy");

function textOf({ yaml_lines, apiVersion, kind, name, metadata, spec }: Sample): string {
  if (yaml_lines) return yaml_lines.join("\n");
  return JSON.stringify({ apiVersion, kind, metadata: { ...metadata, name: name ?? "unnamed" }, spec });
}

const objectsIn = (text: string): readonly KubernetesObject[] =>
  readManifests(text, "sample.yaml").objects.map(({ object }) => object);
const conf = (objects: readonly KubernetesObject[]) => configureMirrors({ objects }).registriesConf;

describe.skipIf(policies.length === 0)("real content source policies", () => {
  test.for(policies.map((sample, index) => ({ sample, title: `${index + 1}, ${sample.name}` })))(
    "When policy $title is converted, registries.conf should stay the same",
    ({ sample }) => {
      const old = objectsIn(textOf(sample));
      const { objects: made, issues } = convertMirrorPolicies(old);
      const { changes } = proveMigration({ old, made, beside: { objects: [] } });
      // Only an object of which nothing was usable may disappear, and its owner is told.
      if (made.length < old.length) expect(issues).not.toEqual([]);
      else expect(changes).toEqual([]);
    },
  );

  test.for(policies.map((sample, index) => ({ sample, title: `${index + 1}, ${sample.name}` })))(
    "When policy $title is converted as oc does it, its rules should render the same",
    ({ sample }) => {
      const text = textOf(sample);
      const migrated = migrateLikeOc(text, "sample.yaml");
      const old = objectsIn(text);
      if ("error" in migrated) expect(old).toEqual([]);
      else expect(conf(objectsIn(migrated.text))).toBe(conf(old));
    },
  );
});
