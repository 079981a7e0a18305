import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, matchesGlob } from "node:path";
import { describe, expect, test } from "vitest";
import { whyNoGo } from "../../bench/peers/go-program.ts";
import { paths } from "../../infra/paths.ts";
import { succeeded } from "../../infra/run-program.ts";
import { foldersOf, kustomize } from "../cluster/support/manifests/kustomize.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { copyContainerfile, type Finding, type Scan, scan } from "./checkov.ts";

/* contributing/security-scans.md lists what checkov finds and why it stays. It lists no more and no less. */

const page = await readFile(join(paths.root, "contributing/security-scans.md"), "utf8");

/** A row of the page: a check, and a pattern of the resources at which its findings stay. */
type Row = Readonly<{ check: string; where: string; why: string }>;

function rowsUnder(heading: string): readonly Row[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^\| (CKV\w+) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm)].flatMap(
    ([, check = "", places = "", why = ""]) =>
      [...places.matchAll(/`([^`]+)`/g)].map(([, where = ""]) => ({ check, where, why })),
  );
}

const isAbout = ({ check, where }: Row, finding: Finding) =>
  check === finding.check && matchesGlob(finding.where, where);

/** Compares what checkov found with the rows under a heading. */
function compare({ passed, findings }: Scan, heading: string): void {
  const rows = rowsUnder(heading);
  expect(passed).toBeGreaterThan(10);
  const unlisted = findings.filter((finding) => !rows.some((row) => isAbout(row, finding)));
  expect(unlisted, "findings that contributing/security-scans.md does not list").toEqual([]);
  const gone = rows.filter((row) => !findings.some((finding) => isAbout(row, finding)));
  expect(gone, "rows of contributing/security-scans.md for which checkov finds nothing").toEqual([]);
  expect(rows.filter(({ why }) => why.length < 20)).toEqual([]);
}

describe("what checkov finds", { timeout: 300_000 }, () => {
  const folder = sharedFolder();
  const inFolder = async (name: string) => {
    const path = join(folder.path, name);
    await mkdir(path, { recursive: true });
    return path;
  };

  test("When the stack is scanned, the page should list each finding", async () => {
    await succeeded(process.execPath, ["infra/stack-command.ts", "package"], { cwd: paths.root });
    const stack = await inFolder("stack");
    const name = "cloudformation-template-update-stack.json";
    await copyFile(join(paths.cloudformation, name), join(stack, name));
    compare(await scan("cloudformation", stack), "The stack");
  });

  const noGo = whyNoGo();
  test.skipIf(noGo)(
    "When the overlays are scanned as they are applied, the page should list each finding",
    {
      ...because(noGo),
      timeout: 300_000,
    },
    async () => {
      const program = await kustomize(console.log);
      const rendered = await inFolder("manifests");
      for (const overlay of ["sqs-endpoint", "aws-sqs", "forwarder", "one-deployment"]) {
        const manifests: string[] = [];
        for (const folder of foldersOf(overlay)) {
          const { stdout } = await succeeded(program, ["build", folder], { cwd: paths.root });
          manifests.push(stdout);
        }
        await writeFile(join(rendered, `${overlay}.yaml`), manifests.join("---\n"));
      }
      compare(await scan("kubernetes", rendered), "The overlays");
    },
  );

  test("When the Containerfiles are scanned, the page should list each finding", async () => {
    const copies = await inFolder("containerfiles");
    for (const path of ["Containerfile", "infra/precache-workload/Containerfile"])
      await copyContainerfile(path, copies);
    compare(await scan("dockerfile", copies), "The images");
  });

  test("When the workflows are scanned, hubrelay's own and the example, the page should list each finding", async () => {
    const copies = await inFolder("workflows/.github/workflows");
    for (const path of [".github/workflows/ci.yaml", ".github/workflows/release.yaml"])
      await copyFile(join(paths.root, path), join(copies, path.replaceAll("/", "-").slice(1)));
    await copyFile(join(paths.root, ".github/workflows/security.yaml"), join(copies, "security.yaml"));
    await copyFile(join(paths.root, "examples/ci/github-workflow.yaml"), join(copies, "example.yaml"));
    compare(await scan("github_actions", join(dirname(copies), "..")), "The workflows");
  });

  test("When a template forbids nothing, its findings should fail the comparison", async () => {
    const open = await inFolder("open");
    const bucket = { Type: "AWS::S3::Bucket", Properties: { AccessControl: "PublicReadWrite" } };
    await writeFile(join(open, "template.json"), JSON.stringify({ Resources: { Open: bucket } }));
    const found = await scan("cloudformation", open);
    expect(found.findings).toContainEqual(expect.objectContaining({ where: "AWS::S3::Bucket.Open" }));
    expect(() => compare({ ...found, passed: 100 }, "The stack")).toThrow("does not list");
    expect(() => compare({ passed: 100, findings: [] }, "The stack")).toThrow("finds nothing");
  });
});
