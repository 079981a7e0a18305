import { stringify } from "yaml";
import { customResourceDefinition, type KindDefinition } from "#shared/domain/fields/kind-definition.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { reportFields } from "#shared/domain/precache/progress/precaching-report.ts";
import { readinessFields } from "#shared/domain/ready/record/readiness-report.ts";
import { windowDefinition } from "#shared/domain/windows/window-definition.ts";
import { commentLines } from "./yaml-text.ts";

const definitions: readonly KindDefinition[] = [
  windowDefinition,
  {
    about:
      "What hubrelay records about the clusters of a ClusterGroupUpgrade besides their states; see docs/reference/precaching.md.",
    kind: kinds.PreCachingReport,
    shortName: "pcr",
    columns: [
      { name: "Revision", type: "string", jsonPath: ".revision" },
      { name: "Written", type: "date", jsonPath: ".written" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    fields: reportFields,
  },
  {
    about:
      "Whether mirrors hold what a ClusterGroupUpgrade pre-caches; see docs/how-to/ready-before-the-window.md.",
    kind: kinds.ReadinessReport,
    shortName: "rdy",
    columns: [
      { name: "Ready", type: "string", jsonPath: ".ready" },
      { name: "Reason", type: "string", jsonPath: ".reason" },
      { name: "Since", type: "date", jsonPath: ".since" },
      { name: "Message", type: "string", jsonPath: ".message", priority: 1 },
    ],
    fields: readinessFields,
  },
];

/** Returns the CustomResourceDefinitions of hubrelay's own kinds, by their paths from the root. */
export function crdFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    definitions.map((one) => {
      const head = commentLines(`${one.about} By \`npm run generate\`, from the kind's fields.`);
      const text = stringify(customResourceDefinition(one), { lineWidth: 120, aliasDuplicateObjects: false });
      return [`infra/crds/${one.kind.plural}.yaml`, `${head.join("\n")}\n${text}`];
    }),
  );
}
