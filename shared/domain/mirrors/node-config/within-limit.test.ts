import { describe, expect, test } from "vitest";
import { renderMachineConfig } from "../../machine-config/machine-config.ts";
import { namespacePolicyPath } from "../../machine-config/node-file.ts";
import { configureMirrors } from "../configuration.ts";
import { anImageDigestMirrorSet } from "../fixtures.ts";
import { aClusterImagePolicy, anImagePolicy, largePolicy } from "../policies/fixtures.ts";
import { maxMachineConfigBytes } from "./machine-config-size.ts";

const { scopes, policy } = largePolicy;
const policiesOf = (namespace: string, count: number) =>
  Array.from({ length: count }, (_, index) => anImagePolicy(namespace, `p${index}`, scopes, policy));
const mirrors = anImageDigestMirrorSet("mirrors", [{ source: "quay.io/a", mirrors: ["m.lab/a"] }]);
const small = anImagePolicy("small", "own", ["quay.io/small"]);

const sizeOf = (files: Parameters<typeof renderMachineConfig>[0]["files"]) =>
  Buffer.byteLength(JSON.stringify(renderMachineConfig({ pool: "worker", files })));
const namespacesIn = (files: readonly Readonly<{ path: string }>[]) =>
  files.map(({ path }) => /^\/etc\/crio\/policies\/(.+)\.json$/.exec(path)?.[1]).filter(Boolean);
const leftOut = ({ issues }: ReturnType<typeof configureMirrors>) =>
  issues.filter(({ code }) => code === "NamespacePoliciesTooLarge");

describe("image policies that make the MachineConfig too large", () => {
  const large = policiesOf("large", 5);
  const configured = configureMirrors({ objects: [mirrors, small, ...large] });

  test("When those of one namespace do, they should be left out, and all else be rendered", () => {
    expect(configured.refused).toBe(false);
    expect(namespacesIn(configured.files)).toEqual(["large", "small"]);
    expect(configured.registriesConf).toContain("m.lab/a");
    const { files } = configureMirrors({ objects: [mirrors, small] });
    expect(configured.files).toEqual(expect.arrayContaining([...files]));
    const ofLarge = configured.files.find(({ path }) => path === namespacePolicyPath("large"));
    expect(JSON.parse(ofLarge?.contents ?? "").transports.docker).toEqual(
      Object.fromEntries(scopes.map((scope) => [scope, [{ type: "reject" }]])),
    );
  });

  test("When there is no other policy, its scopes should be rejected all the same", () => {
    const alone = configureMirrors({ objects: large });
    expect(namespacesIn(alone.files)).toEqual(["large"]);
    expect(alone.files.at(-1)?.contents).toContain('"reject"');
  });

  test("When they are left out, each should have an error for its owner", () => {
    expect(leftOut(configured)).toHaveLength(large.length);
    expect(leftOut(configured)[0]).toEqual({
      code: "NamespacePoliciesTooLarge",
      severity: "error",
      object: { kind: "ImagePolicy", namespace: "large", name: "p0" },
      path: "spec.scopes",
      value: 64,
      message: expect.stringMatching(
        /^the ImagePolicies of the namespace large are left out, and images in their scopes are rejected in it: their file takes \d+ bytes, with which the MachineConfig would be larger than 1572864 bytes$/,
      ),
      remedy:
        "List fewer scopes: one scope covers everything below it. Policies that several namespaces need can be ClusterImagePolicies.",
    });
  });

  test("When several namespaces do together, the fewest should be left out, the largest first", () => {
    const objects = [
      ...["a", "b", "d", "e", "f"].flatMap((namespace) => policiesOf(namespace, 1)),
      ...policiesOf("c", 2),
    ];
    const result = configureMirrors({ objects: [...objects, small, mirrors] });
    expect([...new Set(leftOut(result).map(({ object }) => object.namespace))]).toEqual(["a", "b", "c"]);
    expect(namespacesIn(result.files)).toEqual(["a", "b", "c", "d", "e", "f", "small"]);
    expect(sizeOf(result.files)).toBeLessThanOrEqual(maxMachineConfigBytes);
    const withOneMore = objects.filter(({ metadata }) => metadata.namespace !== "c");
    expect(leftOut(configureMirrors({ objects: [...withOneMore, small, mirrors] }))).not.toEqual([]);
  });

  test("When the objects come in another order, the result should be the same", () => {
    const objects = ["a", "b", "c"].flatMap((namespace) => policiesOf(namespace, 2));
    expect(configureMirrors({ objects: objects.toReversed() })).toEqual(configureMirrors({ objects }));
  });

  test("When it is too large without them too, nothing should be left out", () => {
    const cluster = Array.from({ length: 7 }, (_, index) => aClusterImagePolicy(`c${index}`, scopes, policy));
    const result = configureMirrors({ objects: [...cluster, small] });
    expect(leftOut(result)).toEqual([]);
    expect(result.files.map(({ path }) => path)).toContain(namespacePolicyPath("small"));
  });

  test("When the mode is mco, they should stay, as machine-config-operator does not look at the size", () => {
    const result = configureMirrors({ objects: [mirrors, ...large] }, { compat: "mco" });
    expect(leftOut(result)).toEqual([]);
    expect(namespacesIn(result.files)).toEqual(["large"]);
  });

  test("When nothing may be left out, it should refuse", () => {
    expect(configureMirrors({ objects: [mirrors, ...large] }, { strict: true }).refused).toBe(true);
  });
});
