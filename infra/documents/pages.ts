import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { unreadReasons } from "#shared/domain/issues/coverage.ts";
import { coverageJsonSchema } from "#shared/domain/issues/coverage-schema.ts";
import { issueCodes } from "#shared/domain/issues/issue-codes.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { clusterStates, clusterTransitions } from "#shared/domain/precache-model/cluster-state.ts";
import { performanceTables, recordedResults } from "../../bench/record.ts";
import { settingsFields } from "../../cli/io/repository/settings.ts";
import { paths } from "../paths.ts";
import { asSchema, code, fieldTable, type Schema, table, withGeneratedPart } from "./generated-part.ts";
import { withTypes } from "./outcome-documents.ts";

function diagram(): string {
  const steps = clusterTransitions.flatMap(({ from, to, when }) =>
    from.flatMap((state) =>
      to.map((next) => `  ${state} --> ${next}${from.length * to.length > 1 ? "" : `: ${when}`}`),
    ),
  );
  return ["```mermaid", "stateDiagram-v2", "  [*] --> NotStarted", ...steps, "```"].join("\n");
}

function withStates(page: string): string {
  const states = clusterStates.map(({ state, meaning, phase }) => [
    state,
    meaning,
    phase === "running" ? "yes" : "no",
  ]);
  return withGeneratedPart(page, [table(["state", "meaning", "has a slot"], states), diagram()].join("\n\n"));
}

const files = ["maintenancewindows.yaml", "precachingreports.yaml", "readinessreports.yaml"];

const ofEveryObject = ["apiVersion", "kind", "metadata"];

function ownFields(schema: Schema): Schema {
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => !ofEveryObject.includes(name));
  return { ...schema, properties: Object.fromEntries(fields) };
}

async function sectionOf(file: string): Promise<string> {
  const { spec } = parse(await readFile(join(paths.root, "infra/crds", file), "utf8"));
  const [{ name: version, schema }] = spec.versions;
  const names = [spec.names.plural, spec.names.singular, ...spec.names.shortNames];
  return [
    `## ${spec.names.kind}`,
    `\`${spec.group}/${version}\`, in a namespace. kubectl's names: ${names.map(code).join(", ")}.`,
    fieldTable(ownFields(asSchema(schema.openAPIV3Schema))),
  ].join("\n\n");
}

async function withKinds(page: string): Promise<string> {
  return withGeneratedPart(page, (await Promise.all(files.map(sectionOf))).join("\n\n"));
}

function withIssueCodes(page: string): string {
  const sections = [...Map.groupBy(issueCodes, ({ section }) => section)].map(([title, codes]) => {
    const rows = codes.map(
      ({ code: name, severity, meaning }) =>
        `- ${code(name)} (${severity === "either" ? "error or warning" : severity}): ${meaning}`,
    );
    return `## ${title}\n\n${rows.join("\n")}`;
  });
  return withGeneratedPart(page, sections.join("\n\n"));
}

function closed(definition: unknown): unknown {
  if (Array.isArray(definition)) return definition.map(closed);
  if (!isRecord(definition)) return definition;
  const fields = Object.fromEntries(Object.entries(definition).map(([name, one]) => [name, closed(one)]));
  return isRecord(definition.properties) ? { ...fields, additionalProperties: false } : fields;
}

function configSchemaFile(): string {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Settings of hubrelay for a repository (.hubrelay.yaml)",
    ...settingsFields.definition,
  };
  return `${JSON.stringify(closed(schema), null, 2)}\n`;
}

function coverageSchemaFile(): string {
  return `${JSON.stringify(coverageJsonSchema(), null, 2)}\n`;
}

function withCoverageTables(page: string): string {
  const reasons = Object.entries(unreadReasons).map(([reason, text]) => [code(reason), text]);
  return withGeneratedPart(
    page,
    [
      "## The field `coverage`",
      fieldTable(asSchema(coverageJsonSchema())),
      table(["`unread[].why`", "in text"], reasons),
    ].join("\n\n"),
  );
}

type GeneratedPage = Readonly<{
  /** Relative to the root of the repository. */
  path: string;
  when: string;
  /** Returns the new text of the page. Keeps the lines that people wrote. */
  renewed(page: string): string | Promise<string>;
}>;

/** The pages and files that `npm run docs` writes, except the JSON Schema of outcome events. */
export const generatedPages: readonly GeneratedPage[] = [
  { path: "docs/reference/issues.md", when: "an issue code changes", renewed: withIssueCodes },
  { path: "docs/reference/events.md", when: "a type of outcome event changes", renewed: withTypes },
  {
    path: "contributing/performance.md",
    when: "results of the bench are recorded",
    renewed: (page) => withGeneratedPart(page, performanceTables(recordedResults())),
  },
  { path: "docs/reference/precaching.md", when: "a state of a cluster changes", renewed: withStates },
  {
    path: "docs/reference/config.schema.json",
    when: "a setting of a repository changes",
    renewed: configSchemaFile,
  },
  { path: "docs/reference/kinds.md", when: "the definition of a kind changes", renewed: withKinds },
  { path: "docs/reference/coverage.md", when: "the schema of coverage changes", renewed: withCoverageTables },
  {
    path: "docs/reference/coverage.schema.json",
    when: "the schema of coverage changes",
    renewed: coverageSchemaFile,
  },
];
