import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { writeYaml } from "#shared/domain/manifests/manifests.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { convertMirrorPolicies } from "#shared/domain/mirrors/convert/convert.ts";
import { proveMigration } from "#shared/domain/mirrors/convert/convert-proof.ts";
import { migrateOcCompat } from "#shared/domain/mirrors/convert/migrate-oc-compat.ts";
import { corpusFiles, objectsIn } from "./support/corpus/corpus.ts";

const policies = corpusFiles().filter(({ name }) => name.startsWith("policies/"));

/** Rules for tags become two objects, and so two entries that together mean the same. */
const hasTagRules = (text: string) => objectsIn(text).some(({ kind }) => kind === "ImageSourceTagPolicy");
const digestPolicies = policies.filter(({ text }) => !hasTagRules(text));

const conf = (objects: readonly KubernetesObject[]) => configureMirrors({ objects }).registriesConf;

test.for(digestPolicies)("When $name is converted, registries.conf should stay the same", ({ text }) => {
  const old = objectsIn(text);
  const { objects: made, issues } = convertMirrorPolicies(old);
  const { changes } = proveMigration({ old, made, beside: { objects: [] } });
  // An object may disappear only when none of its rules was usable, and then an issue says so.
  if (made.length < old.length) expect(issues).not.toEqual([]);
  else expect(changes).toEqual([]);
});

const migrated = policies.flatMap(({ name, text }) => {
  const migration = migrateOcCompat(text, "file.yaml");
  return "objects" in migration ? [{ name, text, made: migration.objects.map(writeYaml).join("---\n") }] : [];
});

test.for(migrated)(
  "When $name is converted as oc does it, its rules should render the same",
  ({ text, made }) => {
    expect(conf(objectsIn(made))).toBe(conf(objectsIn(text)));
  },
);
