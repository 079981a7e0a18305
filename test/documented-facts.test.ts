import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { instruments } from "#shared/adapters/telemetry/log-metrics.ts";
import { knownAnnotations } from "#shared/domain/issues/annotations.ts";
import { issueCodes } from "#shared/domain/issues/issue-codes.ts";
import { costRuleCodes } from "#shared/domain/plan/cost.ts";
import { outcomeTypes } from "#shared/domain/plan/outcome-event.ts";
import { minimumVersions } from "../cli/commands/doctor/checks/kind-rows.ts";
import { stackParts } from "../infra/generate/stack.ts";
import { paths } from "../infra/paths.ts";

/* Names that users write down, from the pages that list them and from the code. What pages generate is not repeated. */

const textOf = (path: string) => readFile(join(paths.root, path), "utf8");

async function textsOf(pattern: string): Promise<string> {
  const files = (await Array.fromAsync(glob(pattern, { cwd: paths.root }))).filter(
    (file) => !/\.test\.ts$|\/fixtures\.ts$|node_modules/.test(file),
  );
  return (await Promise.all(files.map(textOf))).join("\n");
}

const code = await textsOf("{shared,functions,cli}/**/*.ts");
const pages = await textsOf("{README,SECURITY,CONTRIBUTING,{docs,contributing,infra,examples}/**/*}.md");

const namesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...new Set([...text.matchAll(pattern)].map(([name]) => name))].sort();

/** Returns the rows of the tables of a page whose head begins with `first`, without the markup of code. */
async function rowsOf(page: string, first: string): Promise<readonly (readonly string[])[]> {
  const tables = (await textOf(page)).matchAll(/^\|(.*)\|\n\|[ |-]+\|\n((?:\|.*\|\n)+)/gm);
  const rows = [...tables].flatMap(([, head = "", body = ""]) =>
    head.split("|", 1).join().trim() === first ? body.trim().split("\n") : [],
  );
  return rows.map((row) => row.split("|").slice(1, -1));
}

/** Returns the names in the markup of code in one cell of each row. */
const cells = (rows: readonly (readonly string[])[], column = 0): readonly string[] =>
  rows.flatMap((row) => [...(row[column] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));

test("When the environment is documented, its variables should be those that are read", async () => {
  const documented = cells(await rowsOf("docs/reference/environment.md", "variable"));
  const read = namesIn(code, /\bHUBRELAY_[A-Z_]+\b/g);
  expect(documented.filter((name) => name.startsWith("HUBRELAY_")).sort()).toEqual(read);
});

test("When a variable is mentioned in a deployment, it should be one that is read", async () => {
  const ofFunctions = JSON.stringify(stackParts(paths.root).functions);
  const files = await textsOf("{serverless.yml,infra/**/*.{yml,yaml,env}}");
  const set = namesIn(`${files}${ofFunctions}`, /\bHUBRELAY_[A-Z_]+\b/g);
  expect(set.length).toBeGreaterThan(5);
  expect(set.filter((name) => !code.includes(name))).toEqual([]);
});

test("When parameters of the stack on AWS are documented, they should be those of the template", async () => {
  const documented = cells(await rowsOf("docs/deploy-aws.md", "parameter"));
  const ofFunctions = JSON.stringify(stackParts(paths.root).functions);
  const template = `${await textsOf("{serverless.yml,infra/aws/*.yml}")}${ofFunctions}`;
  expect(documented.toSorted()).toEqual(namesIn(template, /(?<=\$\{param:)\w+/g));
});

test("When roles for queues of your own are documented, they should permit what the stack's policies do", async () => {
  const statement = z.object({ Action: z.union([z.string(), z.array(z.string())]) }).catch({ Action: [] });
  const policy = z.object({
    Properties: z.object({ PolicyDocument: z.object({ Statement: z.array(z.unknown()) }) }),
  });
  const shared = parse(await textOf("infra/aws/policies.yml"), { logLevel: "silent" }).Resources;
  const ofFunctions = stackParts(paths.root).resources.Resources;
  const allowed = (...policies: readonly unknown[]) => {
    const statements = policies.flatMap((one) => policy.parse(one).Properties.PolicyDocument.Statement);
    // Statements under a condition, of keys, are not in the table.
    return [...new Set(statements.flatMap((one) => statement.parse(one).Action))].sort();
  };
  const documented = (await rowsOf("docs/deploy-kubernetes.md", "role")).map((row) => [
    row[0]?.trim(),
    [...new Set(cells([row], 1))].sort(),
  ]);
  expect(documented).toEqual([
    ["`hubrelay-forwarder`", allowed(shared.SendReferencesPolicy, shared.ReadQueueLengthsPolicy)],
    ["`hubrelay-resync`", allowed(shared.SendReferencesPolicy)],
    ["`hubrelay-` and the name of a function", allowed(ofFunctions.MirrorConfigPolicy)],
    ["KEDA's", allowed(shared.ReadQueueLengthsPolicy)],
  ]);
});

test("When metrics are documented, names and labels should be those of the code", async () => {
  const rows = (await rowsOf("docs/reference/environment.md", "metric")).filter(
    ([name = ""]) => !name.includes("*"),
  );
  const documented = rows.map((row) => [...cells([row]), ...cells([row], 1)]);
  const made = Object.entries(instruments).map(([name, instrument]) => [
    name,
    ...("ofFunction" in instrument ? [] : ["function"]),
    ...("labels" in instrument ? (instrument.labels ?? []) : []),
  ]);
  expect(documented.toSorted()).toEqual(made.toSorted());
});

test("When rules of costs are documented, they should be those of the code", async () => {
  const page = "docs/reference/costs-and-explanations.md";
  const rows = [
    ...(await rowsOf(page, "rule of a file")),
    ...(await rowsOf(page, "rule of a part of registries.conf")),
    ...(await rowsOf(page, "rule of a hosted cluster's nodes")),
  ];
  expect(cells(rows).toSorted()).toEqual([...costRuleCodes].sort());
});

test("When a page has a table of issue codes, every code should be registered", async () => {
  const registered = issueCodes.map(({ code }) => code);
  const documented = cells(await rowsOf("docs/reference/hosted-clusters.md", "code"));
  expect(documented.length).toBeGreaterThan(0);
  expect(documented.filter((name) => !registered.includes(name))).toEqual([]);
});

const annotationPattern = /\bhubrelay\.dev\/[a-z0-9-]+/g;

test("When annotations and labels are documented, they should be those of the code", async () => {
  const known = namesIn(code, annotationPattern).filter((name) => name !== "hubrelay.dev/v1alpha1");
  expect(namesIn(await textOf("docs/reference/annotations.md"), annotationPattern)).toEqual(known);
  const elsewhere = namesIn(pages, annotationPattern);
  expect(elsewhere.filter((name) => !known.includes(name) && name !== "hubrelay.dev/v1alpha1")).toEqual([]);
});

test("When annotations are documented, they should be those that validate knows", async () => {
  const rows = [
    ...(await rowsOf("docs/reference/annotations.md", "annotation")),
    ...(await rowsOf("docs/reference/annotations.md", "name")),
  ].filter(([, on = ""]) => !on.includes("(label)"));
  expect([...new Set(cells(rows))].sort()).toEqual([...knownAnnotations].sort());
});

test("When a page names the type of an outcome event, it should be registered", () => {
  const types = outcomeTypes.map(({ type }): string => type);
  const named = namesIn(pages, /\bdev\.hubrelay\.[a-z-]+(?:\.[a-z-]+)?/g);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !types.some((type) => `${type}.`.startsWith(`${name}.`)))).toEqual([]);
});

test("When a page says what users run, it should name npm scripts and not files of the tools behind them", async () => {
  const commands = (await textsOf("{README,docs/{*,how-to/*,tutorials/*}}.md")).match(
    /^```sh\n[\s\S]*?^```$/gm,
  );
  expect(commands?.length).toBeGreaterThan(10);
  expect(commands?.filter((block) => /\btools\/|node_modules\//.test(block))).toEqual([]);
});

test("When minimum versions are documented, they should be those that doctor checks", async () => {
  const { kubernetes, openShift } = minimumVersions;
  expect(await textOf("docs/deploy-kubernetes.md")).toContain(
    `| Kubernetes (OpenShift), which \`hubrelay doctor\` checks | ${kubernetes} (${openShift}) |`,
  );
});

test.for([".", "shared/domain", "shared/runtime", "shared/adapters", "cli", "console"])(
  "When the map of the code names folders of %s, they should exist",
  async (parent) => {
    const foldersIn = (row: readonly string[], column: number) =>
      cells([row], column).filter((name) => name.endsWith("/"));
    const named = (await rowsOf("contributing/map.md", `in \`${parent}\``)).flatMap((row) => {
      const folders = foldersIn(row, 0);
      return [...folders, ...foldersIn(row, 1).map((name) => join(folders[0] ?? "", name))];
    });
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((name) => !existsSync(join(paths.root, parent, name)))).toEqual([]);
  },
);
