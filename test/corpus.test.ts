import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readManifests } from "#shared/domain/kubernetes/manifests.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";

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

const samples: readonly Sample[] = existsSync(corpus)
  ? readFileSync(corpus, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
  : [];

const mirrorKinds = ["ImageDigestMirrorSet", "ImageTagMirrorSet", "ImageContentSourcePolicy"];

/** The sample as a file's text: its own lines where it was no YAML, else the object with a name. */
function textOf({ yaml_lines, apiVersion, kind, name, metadata, spec }: Sample): string {
  if (yaml_lines) return yaml_lines.join("\n");
  return JSON.stringify({ apiVersion, kind, metadata: { ...metadata, name: name ?? "unnamed" }, spec });
}

describe.skipIf(samples.length === 0)("real manifests", () => {
  test.for(samples.map((sample, index) => ({ sample, title: `${index + 1} ${sample.kind} ${sample.name}` })))(
    "When $title is read, every mistake should name object and field, and mirror objects should render",
    ({ sample }) => {
      const { objects, issues: unreadable } = readManifests(textOf(sample), "sample.yaml");
      const { registriesConf, issues } = configureMirrors({ objects: objects.map(({ object }) => object) });
      for (const issue of [...unreadable, ...issues]) {
        expect(issue.object.name).not.toBe("");
        expect(issue.path).not.toBe("");
        expect(issue.remedy).not.toBe("");
      }
      const hasMirrors = mirrorKinds.includes(sample.kind) && /"mirrors":\["/.test(textOf(sample));
      const hasErrors = [...unreadable, ...issues].some(({ severity }) => severity === "error");
      if (hasMirrors && !hasErrors) expect(registriesConf).toContain("[[registry.mirror]]");
    },
  );
});
