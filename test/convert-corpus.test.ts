import { expect, test } from "vitest";
import { convertMirrorPolicies, isOldKind } from "#shared/domain/mirrors/convert/convert.ts";
import { proveMigration } from "#shared/domain/mirrors/convert/convert-proof.ts";
import { corpusTopics, objectsIn } from "./support/corpus/corpus.ts";

const policies = corpusTopics().flatMap(({ topic, cases }) => (topic === "policies" ? cases : []));

/** Rules for tags become two objects, and so two entries that together mean the same. */
const hasTagRules = (text: string) => objectsIn(text).some(({ kind }) => kind === "ImageSourceTagPolicy");
const digestPolicies = policies.filter(({ text }) => !hasTagRules(text));

test.for(digestPolicies)("When $name is converted, registries.conf should stay the same", ({ text }) => {
  const all = objectsIn(text);
  const old = all.filter(isOldKind);
  const objects = all.filter((object) => !isOldKind(object));
  const { objects: made, issues } = convertMirrorPolicies(all, objects);
  const { changes, refusals } = proveMigration({ old, made, beside: { objects } });
  // An object may disappear only when none of its rules was usable, and what was refused had no effect: an issue says so.
  if (made.length < old.length || refusals.length > 0) expect(issues).not.toEqual([]);
  else expect(changes).toEqual([]);
});
