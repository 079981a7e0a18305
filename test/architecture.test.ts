import { existsSync, readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { functionNames } from "../infra/bundle/bundle.ts";
import { refuseForeignPackages } from "../infra/bundle/bundle-contents.ts";
import packageJson from "../package.json" with { type: "json" };
import stryker from "../tools/mutation/stryker.config.ts";
import { lineBudgets } from "./line-budgets.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

type Import = Readonly<{ file: string; target: string }>;

/** Import and export statements, and calls: the text "from" in a list does not match. */
const importing = /^(?:import|export)\s(?:[^";]*\sfrom\s)?"([^"]+)"(?:;| with )|\bimport\(\s*"([^"]+)"/gm;

/** The import specifiers of a file; relative ones and `#shared/…` are resolved to paths from the root. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const specifiers = [...text.matchAll(importing)].map(([, stated, called = ""]) => stated ?? called);
  return specifiers.map((specifier) => ({
    file,
    target: specifier.startsWith("#")
      ? specifier.slice(1)
      : specifier.startsWith(".")
        ? relative(root, join(root, dirname(file), specifier))
        : specifier,
  }));
}

async function sources(pattern: string): Promise<string[]> {
  const found = await Array.fromAsync(glob(pattern, { cwd: root }));
  return found.filter((file) => !file.endsWith(".test.ts")).sort();
}

const isEntryPoint = (file: string) =>
  /^functions\/[^/]+\/handler\.ts$/.test(file) || file.startsWith("cli/");

/** What each layer may import, by name; names that end with `/` or `:` are prefixes. */
const layers = [
  {
    layer: "shared/domain",
    may: [
      "shared/domain/",
      "yaml",
      "@iarna/toml",
      "zod",
      "zod/mini",
      "@sigstore/core",
      "node:crypto",
      "node:zlib",
    ],
  },
  {
    layer: "shared/registry",
    may: ["shared/domain/", "shared/ports/", "shared/registry/", "lru-cache", "p-map"],
  },
  { layer: "shared/ports", may: ["shared/domain/", "shared/ports/"] },
  {
    layer: "shared/runtime",
    may: [
      "shared/domain/",
      "shared/ports/",
      "shared/runtime/",
      "@middy/core",
      "aws-lambda",
      "lru-cache",
      "p-map",
      "node:timers/promises",
    ],
  },
  {
    layer: "shared/adapters",
    may: [
      "shared/domain/",
      "shared/ports/",
      "shared/runtime/",
      "shared/adapters/",
      "shared/registry/bounded-cache.ts",
      "package.json",
      "node:",
      "@aws-sdk/",
      "@kubernetes/client-node",
      "@smithy/node-http-handler",
      "aws-lambda",
      "fauxqs",
      "lru-cache",
      "modern-tar",
      "prom-client",
      "sqs-consumer",
      "undici",
      "yaml",
    ],
  },
  {
    layer: "console/model",
    may: [
      "shared/domain/",
      "shared/runtime/verify.ts",
      "functions/hosted-clusters/well-known-names.ts",
      "functions/mirror-config/ownership.ts",
      "functions/mirror-config/watches.ts",
      "console/model/",
    ],
  },
  {
    layer: "console/pages",
    may: ["shared/domain/", "console/model/", "console/pages/", "hono/html", "hono/utils/html"],
  },
  {
    layer: "shared/adapters/settings",
    may: ["shared/domain/", "shared/ports/", "shared/runtime/", "shared/adapters/settings/"],
  },
  {
    layer: "functions",
    may: [
      "shared/domain/",
      "shared/ports/",
      "shared/registry/",
      "shared/runtime/",
      "functions/",
      "node:crypto",
    ],
  },
] as const;

test.for(layers)(
  "When a file lies in $layer, it should import only what that layer may import",
  async ({ layer, may }) => {
    const files = (await sources(`${layer}/**/*.ts`)).filter((file) => !isEntryPoint(file));
    expect(files.length).toBeGreaterThan(0);
    const foreign = files
      .flatMap(importsOf)
      .filter(
        ({ target }) =>
          !may.some((allowed) => (/[/:]$/.test(allowed) ? target.startsWith(allowed) : target === allowed)),
      );
    expect(foreign).toEqual([]);
  },
);

/** Rooms of the command, each with what is above it; `console` is beside them. */
test.for([
  { room: "console", above: ["cli/"] },
  { room: "cli/program", above: ["cli/io/", "cli/screen/", "cli/simulation/", "cli/commands/", "console/"] },
  { room: "cli/io", above: ["cli/screen/", "cli/simulation/", "cli/commands/", "console/"] },
  { room: "cli/screen", above: ["cli/simulation/", "cli/commands/", "console/"] },
  { room: "cli/simulation", above: ["cli/screen/", "cli/commands/", "console/"] },
])("When a file lies in $room, it should import nothing from the rooms above", async ({ room, above }) => {
  const imports = (await sources(`${room}/**/*.ts`)).flatMap(importsOf);
  expect(imports.length).toBeGreaterThan(0);
  expect(imports.filter(({ target }) => above.some((one) => target.startsWith(one)))).toEqual([]);
});

const topicOf = (file: string) => file.split("/", 3).join("/");

/** Names the members of import circles: what is left after everything that imports none of the rest is removed. */
function inCircles(imports: readonly Import[], nameOf: (file: string) => string): readonly string[] {
  const targets = new Map<string, Set<string>>();
  for (const [from, to] of imports.map(({ file, target }) => [nameOf(file), nameOf(target)] as const)) {
    if (from !== to) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  }
  for (;;) {
    const free = [...targets.keys()].filter(
      (from) =>
        !targets
          .get(from)
          ?.values()
          .some((to) => targets.has(to)),
    );
    if (free.length === 0) return [...targets.keys()].sort();
    for (const name of free) targets.delete(name);
  }
}

test.for([
  { what: "a topic", nameOf: topicOf },
  { what: "a folder", nameOf: dirname },
])("When $what of the domain imports another, the other should not import it", async ({ nameOf }) => {
  const imports = (await sources("shared/domain/**/*.ts"))
    .filter((file) => !file.endsWith("/fixtures.ts"))
    .flatMap(importsOf)
    .filter(({ target }) => target.startsWith("shared/domain/"));
  expect(imports.length).toBeGreaterThan(0);
  expect(inCircles(imports, nameOf)).toEqual([]);
});

test("When a file imports another, the other should not import it", async () => {
  const files = await sources("{shared,functions,cli,console}/**/*.ts");
  const known = new Set(files);
  const imports = files.flatMap(importsOf).filter(({ target }) => known.has(target));
  expect(inCircles(imports, (file) => file)).toEqual([]);
});

test("When production imports a package, it should be among the dependencies, which an audit reads, and no other", async () => {
  const imports = (await sources("{shared,functions,cli,console}/**/*.ts")).flatMap(importsOf);
  const names = imports.flatMap(({ target }) => /^(?:@[^/]+\/)?[^/:]+(?=\/|$)/.exec(target) ?? []);
  const used = Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies }).filter((name) =>
    names.includes(name),
  );
  // PatternFly is imported by a style sheet.
  expect(Object.keys(packageJson.dependencies)).toEqual([...used, "@patternfly/patternfly"].sort());
});

test("When a file imports a package, it should use an entry that the package publishes", async () => {
  const imports = (await sources("{shared,functions,cli,console,infra,bench,test}/**/*.ts")).flatMap(
    importsOf,
  );
  const files = imports.filter(({ target }) => /^(?:@[^/]+\/)?[^/]+\/(?:dist|build|lib|src)\//.test(target));
  expect(files.filter(({ target }) => existsSync(join(root, "node_modules", target)))).toEqual([]);
});

test("When a folder holds sources, it should have at most 20 of them", async () => {
  const files = await sources("{shared,functions,cli,console,infra,bench}/**/*.ts");
  const loose = Map.groupBy(files, dirname);
  expect([...loose].filter(([, { length }]) => length > 20).map(([folder]) => folder)).toEqual([]);
});

test("When a folder has a name, a file beside it should have another, and no tool should ignore it", async () => {
  const files = await sources("{shared,functions,cli,console,infra,bench}/**/*.ts");
  const folders = new Set(files.map(dirname));
  expect(files.filter((file) => folders.has(file.replace(/\.ts$/, "")))).toEqual([]);
  expect([...folders].filter((folder) => /(?:^|\/)(?:build|dist|out|target|coverage)$/.test(folder))).toEqual(
    [],
  );
});

test("When a function decides something, its decision should have a table of tests", async () => {
  const tested = (await Array.fromAsync(glob("functions/*/decide.test.ts", { cwd: root }))).sort();
  const decisions = await sources("functions/*/decide.ts");
  expect(tested).toEqual(decisions.map((file) => file.replace(/ts$/, "test.ts")));
});

/** A pattern for each choice of its alternatives in braces. */
function withoutBraces(pattern: string): readonly string[] {
  const [all, start = "", alternatives, end = ""] = /^(.*?)\{(.*?)\}(.*)$/.exec(pattern) ?? [];
  if (all === undefined || alternatives === undefined) return [pattern];
  return alternatives.split(",").flatMap((one) => withoutBraces(`${start}${one}${end}`));
}

test.for(stryker.mutate.filter((pattern) => !pattern.startsWith("!")).flatMap(withoutBraces))(
  "When %s is to be mutated, there should be such code",
  async (pattern) => {
    expect(await sources(pattern)).not.toEqual([]);
  },
);

test("When a file is not an entry point, it should not choose adapters", async () => {
  const files = [...(await sources("shared/**/*.ts")), ...(await sources("functions/**/*.ts"))];
  const choosing = files
    .filter((file) => !file.startsWith("shared/adapters/") && !isEntryPoint(file))
    .flatMap(importsOf)
    .filter(({ target }) => target.startsWith("shared/adapters/"));
  expect(choosing).toEqual([]);
});

/**
 * The packages that a function's bundle imports, by name, and its own files. Imports that the function does not use are
 * excluded, and no package is read: `npm run package` shows what each package brings along.
 */
async function bundleOf(
  name: string,
): Promise<Readonly<{ packages: readonly string[]; files: readonly string[] }>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`functions/${name}/handler.ts`],
    bundle: true,
    format: "esm",
    platform: "node",
    metafile: true,
    write: false,
    plugins: [
      {
        name: "packages-stay-outside",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^.#]/ }, ({ path, kind }) =>
            kind === "entry-point" ? undefined : { path, external: true, sideEffects: false },
          ),
      },
    ],
  });
  const specifiers = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.map(({ path }) => path),
  );
  const packages = specifiers
    .filter((specifier) => !specifier.startsWith("node:"))
    .flatMap((specifier) => specifier.match(/^(?:@[^/]+\/)?[^/]+/) ?? []);
  return { packages, files: Object.keys(metafile.inputs) };
}

test("When a function imports a package, its artefact should be allowed to carry it", async () => {
  for (const name of await functionNames()) {
    const { packages, files } = await bundleOf(name);
    expect(files.filter((file) => /^(?:cli|console)\//.test(file))).toEqual([]);
    expect(packages).toContain("@middy/core");
    refuseForeignPackages(name, packages);
  }
});

test("When a command writes to a terminal, it should use the writer that escapes", async () => {
  const direct = (await sources("cli/**/*.ts")).filter(
    (file) =>
      file !== "cli/io/safe-text.ts" &&
      /\bconsole\.(?:debug|error|info|log|table|warn)\b|\b(?:stdout|stderr|stream)\.write\b|\bstyleText\b/.test(
        readFileSync(join(root, file), "utf8"),
      ),
  );
  expect(direct).toEqual([]);
});

test("When code is in the pure domain or decides, it should have no clock, randomness or environment", async () => {
  const pure = await sources(
    "{shared/domain/**/*,functions/*/decide,functions/*/planning/*,console/{model,pages}/**/*}.ts",
  );
  const impure = pure.filter((file) =>
    /Date\.now|new Date\(\)|Math\.random|process\.|randomUUID|\.localeCompare|\basync\b|\bawait\b/.test(
      readFileSync(join(root, file), "utf8"),
    ),
  );
  expect(impure).toEqual([]);
});

/** The parsers that refuse what is nested too deeply, those of a text that they have checked, and of files of hubrelay's own. */
const parsers = new Set([
  "cli/commands/doctor/checks/access-rows.ts",
  "shared/adapters/hub/kubernetes/kube-config.ts",
  "shared/adapters/hub/semantics/stored-object.ts",
  "shared/domain/kubernetes/json/nesting.ts",
  "shared/domain/kubernetes/json/repeated-key.ts",
  "shared/domain/manifests/edit-manifests.ts",
  "shared/domain/manifests/positions.ts",
  "shared/domain/mirrors/registries-conf/base-file.ts",
  "shared/domain/manifests/yaml-document.ts",
]);

test("When code reads JSON, YAML or TOML, it should use a parser that limits how deeply it is nested", async () => {
  const parsing = (await sources("{shared,functions,cli,console/{model,pages,server}}/**/*.ts")).filter(
    (file) =>
      !file.startsWith("shared/adapters/hub/directory/") &&
      !parsers.has(file) &&
      /\bJSON\.parse\(|import (?:type )?\{[^}]*\b(?:parse\w*|Parser|Composer)\b[^}]*\} from "(?:yaml|@iarna\/toml)"/.test(
        readFileSync(join(root, file), "utf8"),
      ),
  );
  expect(parsing).toEqual([]);
});

/** How many topics lie above each other, with what imports none of them at the bottom. */
function floorsOf(targets: ReadonlyMap<string, ReadonlySet<string>>): number {
  const floorOf = (topic: string): number =>
    1 + Math.max(0, ...[...(targets.get(topic) ?? [])].map((target) => floorOf(target)));
  return Math.max(...[...targets.keys()].map(floorOf));
}

test("When a reader looks at the topics of the domain, they should fit into a head", async () => {
  const imports = (await sources("shared/domain/**/*.ts"))
    .filter((file) => !file.endsWith("fixtures.ts"))
    .flatMap(importsOf)
    .map(({ file, target }) => [topicOf(file), topicOf(target)] as const)
    .filter(([from, to]) => from !== to && to.startsWith("shared/domain/"));
  const targets = new Map(
    [...Map.groupBy(imports, ([from]) => from)].map(([from, all]) => [
      from,
      new Set(all.map(([, to]) => to)),
    ]),
  );
  const topics = new Set(imports.flat());
  const arrows = [...targets.values()].reduce((sum, { size }) => sum + size, 0);
  expect(topics.size).toBeLessThanOrEqual(16);
  expect(arrows).toBeLessThanOrEqual(90);
  expect(floorsOf(targets)).toBeLessThanOrEqual(9);
});

/** A topic of the domain, another folder of `shared`, or a whole top folder. */
function roomOf(file: string): string {
  const depth = file.startsWith("shared/domain/") ? 3 : file.startsWith("shared/") ? 2 : 1;
  return file.split("/", depth).join("/");
}

test("When a room has production code, it should have at most the lines of its budget", async () => {
  const files = (await sources("{shared,functions,cli,console,infra}/**/*.ts")).filter(
    (file) => !file.includes("fixtures"),
  );
  const lines: Record<string, number> = {};
  for (const file of files) {
    const count = readFileSync(join(root, file), "utf8").split("\n").length - 1;
    lines[roomOf(file)] = (lines[roomOf(file)] ?? 0) + count;
  }
  const over = Object.entries(lines).filter(([room, count]) => count > (lineBudgets[room] ?? 0));
  expect(over).toEqual([]);
});
