import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { anImageDigestMirrorSet } from "#shared/domain/mirrors/fixtures.ts";
import { anImagePolicy } from "#shared/domain/mirrors/policies/fixtures.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay, onOneLine } from "./cli-in-process.ts";

const json = (...objects: readonly unknown[]) => objects.map((object) => JSON.stringify(object)).join("\n");

const good = anImageDigestMirrorSet("good", [{ source: "quay.io/good", mirrors: ["mirror.example.com/m"] }]);
const goodPolicy = anImagePolicy("team-1", "good", ["quay.io/good"]);
const climbing = "../../../../../escaped";
const hostilePolicy = anImagePolicy(climbing, "hostile", ["quay.io/hostile"]);
const policySet = (name: string) => ({
  apiVersion: "operator.openshift.io/v1alpha1",
  kind: "ImageContentSourcePolicy",
  metadata: { name },
  spec: { repositoryDigestMirrors: [{ source: "quay.io/a", mirrors: ["mirror.example.com/a"] }] },
});

let root: string;
/** Deep enough that a path that escapes it is still below `root`. */
let dir: string;
beforeEach(async () => {
  root = await temporaryFolder();
  dir = join(root, "a", "b", "out");
  await mkdir(join(root, "a", "b"), { recursive: true });
});

/** Lists every file below the test's folder, relative to it. */
async function files(): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => !entry.isDirectory());
  return found.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)).sort();
}

describe("hubrelay render with names that no API server accepts", () => {
  test("When a namespace escapes DIR, it should write the valid objects only, and report the namespace", async () => {
    const stdin = json(hostilePolicy, good, goodPolicy);
    const { stderr, exitCode } = await hubrelay(["render", "-f", "-", "-o", "files", "--dir", dir], {
      stdin,
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^stdin:1:\d+: error: ImagePolicy\/.*\/hostile metadata\.namespace.*\[InvalidName\]$/m,
    );
    expect(onOneLine(stderr)).toContain("it is not a DNS label (RFC 1123)");
    expect(await files()).toEqual([
      "a/b/out/etc/containers/policy.json",
      "a/b/out/etc/containers/registries.conf",
      "a/b/out/etc/containers/registries.d/sigstore-registries.yaml",
      "a/b/out/etc/crio/policies/team-1.json",
    ]);
  });

  test("When a folder in DIR is a link that leads out of it, it should write nothing there", async () => {
    await mkdir(dir);
    await mkdir(join(root, "elsewhere"));
    await symlink(join(root, "elsewhere"), join(dir, "etc"));
    const { stderr, exitCode } = await hubrelay(["render", "-f", "-", "-o", "files", "--dir", dir], {
      stdin: json(good),
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`it lies outside ${dir}`);
    expect(await files()).toEqual(["a/b/out/etc"]);
  });
});

describe("hubrelay convert with names that no API server accepts", () => {
  test("When a name escapes DIR, it should write the valid objects only", async () => {
    const { stderr, exitCode } = await hubrelay(["convert", "-f", "-", "--dir", dir], {
      stdin: json(policySet("../../../escaped"), policySet("acme")),
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("metadata.name");
    expect(await files()).toEqual(["a/b/out/imagedigestmirrorset_acme.yaml"]);
  });
});
