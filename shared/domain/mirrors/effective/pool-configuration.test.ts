import { describe, expect, test } from "vitest";
import { kinds } from "../../kubernetes/object.ts";
import { aMachineConfig, dropInPath } from "../../openshift/machine-config/fixtures.ts";
import { generatedByAnnotation, roleLabel } from "../../openshift/machine-config/machine-config.ts";
import { nodePaths } from "../../openshift/machine-config/node-file.ts";
import { configureMirrors, type MirrorInput } from "../configuration.ts";
import { anImage, anImageDigestMirrorSet } from "../fixtures.ts";
import { aClusterImagePolicy } from "../policies/fixtures.ts";
import { configurePool, configurePools, poolNamed, poolsOf } from "./pool-configuration.ts";

const quay = anImageDigestMirrorSet("quay", [
  { source: "docker.io/x", mirrors: ["m.lan/x"] },
  { source: "quay.io", mirrors: ["m.lan/quay"] },
]);

function entry(scope: string, mirror: string, flags = ""): string {
  return `[[registry]]\nlocation = "${scope}"\n${flags}[[registry.mirror]]\nlocation = "${mirror}"\n`;
}

function issuesOf(input: MirrorInput) {
  return configurePools(input, configureMirrors(input)).issues.map(({ code, object, path, message }) => ({
    code,
    object: `${object.kind}/${object.name}`,
    path,
    message,
  }));
}

describe("configurePools", () => {
  test("When a drop-in has the source of a rule, the rule and the MachineConfig should be named", () => {
    const dropIn = aMachineConfig("99-worker-tags", { [dropInPath]: entry("quay.io", "tags.lan") });
    expect(issuesOf({ objects: [quay, dropIn] })).toEqual([
      {
        code: "OverriddenByMachineConfig",
        object: "ImageDigestMirrorSet/quay",
        path: "spec.imageDigestMirrors[1]",
        message: `Nodes do not use this rule of quay.io: MachineConfig 99-worker-tags writes ${dropInPath}, which nodes use instead`,
      },
    ]);
  });

  const pathField = "spec.config.storage.files[1].path";
  const other = anImageDigestMirrorSet("other", [{ source: "a.io", mirrors: ["m.lan"] }]);
  type Objects = readonly ReturnType<typeof anImage>[];
  const allRules = `${entry("docker.io/x", "m.lan/x")}${entry("quay.io", "m.lan/quay")}`;
  const blocking = anImage({ blockedRegistries: ["b.io", "c.io"] });
  const noRule = "none of the 2 rules of 1 mirror set works on pool worker";

  test.for<
    readonly [name: string, text: string, objects: Objects, severity?: string, what?: string, more?: object]
  >([
    ["has no rule", "", [], "error", noRule],
    [
      "has one rule",
      entry("a.io", "m.lan"),
      [other],
      "warning",
      "only 1 of the 3 rules of 2 mirror sets works on pool worker",
    ],
    ["has all", allRules, []],
    [
      "keeps a block from nodes, too",
      "",
      [],
      "error",
      `${noRule}; pool worker ignores 2 scopes in lists of Image/cluster`,
      { image: blocking },
    ],
  ])(
    "When a MachineConfig takes registries.conf over and $0, it should have one issue: $4",
    ([, text, objects, severity, what, more = {}]) => {
      const whole = aMachineConfig("99-worker-own", { "/etc/other": "", [nodePaths.registriesConf]: text });
      const input = {
        objects: [
          quay,
          whole,
          ...objects,
          ...["worker", "edge"].map((name) => ({ ...kinds.MachineConfigPool, metadata: { name } })),
        ],
        ...more,
      };
      const found = configurePools(input, configureMirrors(input)).issues;
      expect(found.map((one) => [one.object.name, one.path, one.value, one.severity, one.message])).toEqual(
        what === undefined
          ? []
          : [
              [
                "99-worker-own",
                pathField,
                nodePaths.registriesConf,
                severity,
                `This file replaces the rendered one: ${what}`,
              ],
            ],
      );
    },
  );

  test("When a MachineConfig loses against the generated one, it should have a warning, but not one of the operator", () => {
    const files = { "/etc/other": "", [nodePaths.registriesConf]: entry("quay.io", "tags.lan") };
    const lost = aMachineConfig("98-worker-registries", files);
    expect(issuesOf({ objects: [quay, lost] })).toEqual([
      {
        code: "ReplacedNodeFile",
        object: "MachineConfig/98-worker-registries",
        path: pathField,
        message:
          "This file has no effect: 99-worker-generated-registries, whose name is later, writes it too",
      },
    ]);
    const ofOperator = {
      ...lost,
      metadata: { ...lost.metadata, annotations: { [generatedByAnnotation]: "x" } },
    };
    expect(issuesOf({ objects: [quay, ofOperator] })).toEqual([]);
  });

  test.for([
    ["it has all mirrors of the rule", entry("quay.io", "m.lan/quay"), "worker"],
    ["it is about another scope", entry("quay.io/ns", "tags.lan"), "worker"],
    ["no pool selects it", entry("quay.io", "tags.lan"), "gpu"],
  ] as const)("When $0, it should not warn", ([, text, role]) => {
    const machineConfig = aMachineConfig("99-worker-tags", { [dropInPath]: text }, role);
    const image = anImage({ allowedRegistries: ["quay.io", "docker.io"] });
    expect(issuesOf({ objects: [quay, machineConfig], image })).toEqual([]);
  });

  const odd = { matchExpressions: [{ key: "tier", operator: "Odd" }] };
  const operator = "matchExpressions[0].operator";
  test.for([
    ["machineConfigSelector", odd, operator, "renders no change for the pool"],
    ["nodeSelector", odd, operator, "updates no node of any pool"],
  ] as const)(
    "When machine-config-operator cannot read $0, it should name $2 and what stops",
    ([field, selector, path, effect]) => {
      const pool = { ...kinds.MachineConfigPool, metadata: { name: "edge" }, spec: { [field]: selector } };
      const [issue, ...others] = issuesOf({ objects: [pool] });
      expect(others).toEqual([]);
      expect(issue).toMatchObject({
        code: "InvalidPoolSelector",
        object: "MachineConfigPool/edge",
        path: `spec.${field}.${path}`,
        message: expect.stringContaining(effect),
      });
    },
  );

  test.for([
    ["MachineConfig", { config: "x" }, "spec.config"],
    ["MachineConfigPool", { nodeSelector: { matchLabels: { a: 1 } } }, "spec.nodeSelector.matchLabels.a"],
    [
      "MachineConfigPool",
      { machineConfigSelector: { matchExpressions: [{ key: "tier" }] } },
      "spec.machineConfigSelector.matchExpressions[0].operator",
    ],
    ["MachineConfigPool", { paused: "yes" }, "spec.paused"],
    ["MachineConfigPool", { maxUnavailable: 1.5 }, "spec.maxUnavailable"],
  ] as const)(
    "When the API server refuses a $0 with $1, only that should be reported",
    ([kind, spec, path]) => {
      const object = { ...kinds[kind], metadata: { name: "edge", labels: { [roleLabel]: "edge" } }, spec };
      expect(issuesOf({ objects: [object] }).map((one) => one.path)).toEqual([path]);
    },
  );

  test("When the fields of a pool are null, it should be as if they were absent", () => {
    const spec = { nodeSelector: null, machineConfigSelector: { matchLabels: null, matchExpressions: null } };
    const pool = { ...kinds.MachineConfigPool, metadata: { name: "edge" }, spec };
    expect(issuesOf({ objects: [pool] })).toEqual([]);
  });

  test("When a rule forbids its source, a replacement that does not block it should be reported", () => {
    const closed = anImageDigestMirrorSet("closed", [
      { source: "quay.io", mirrors: ["m.lan"], mirrorSourcePolicy: "NeverContactSource" },
    ]);
    const dropIn = (flags: string) =>
      aMachineConfig("99-worker-tags", { [dropInPath]: entry("quay.io", "m.lan", flags) });
    expect(issuesOf({ objects: [closed, dropIn("")] })).toHaveLength(1);
    expect(issuesOf({ objects: [closed, dropIn("blocked = true\n")] })).toEqual([]);
  });

  test("When lists of the Image lose their effect, their fields should be named", () => {
    const image = anImage({
      blockedRegistries: ["docker.io/bad"],
      insecureRegistries: ["m.lan"],
      containerRuntimeSearchRegistries: ["a.io"],
    });
    const files = {
      [dropInPath]: `unqualified-search-registries = ["b.io"]\n${entry("docker.io/bad", "m.lan")}${entry("m.lan", "n.lan")}`,
      [nodePaths.policy]: '{"default":[{"type":"insecureAcceptAnything"}]}',
    };
    const found = issuesOf({ objects: [aMachineConfig("99-worker-x", files)], image });
    expect(found.map(({ path }) => path).sort()).toEqual([
      "spec.registrySources",
      "spec.registrySources.blockedRegistries[0]",
      "spec.registrySources.containerRuntimeSearchRegistries",
    ]);
    expect(found.map(({ message }) => message).join("\n")).toContain("insecureRegistries[0]");
  });

  test("When a policy loses its effect, it should be named, also that of the payload, and no empty list", () => {
    const files = { [nodePaths.policy]: '{"default":[{"type":"insecureAcceptAnything"}]}' };
    const objects = [aMachineConfig("99-worker-x", files)];
    const overridden = (input: MirrorInput) => issuesOf(input).map(({ object, path }) => `${object} ${path}`);
    const signed = aClusterImagePolicy("signed", ["quay.io/acme"]);
    expect(overridden({ objects: [...objects, signed], image: anImage({}) })).toEqual([
      "ClusterImagePolicy/signed spec.scopes",
    ]);
    expect(overridden({ objects, image: anImage({}), releaseVersion: "4.22.6" })).toEqual([
      "ClusterImagePolicy/openshift spec.scopes",
    ]);
  });

  test.for([
    { path: dropInPath, text: "[registries.search]\nregistries = []\n", said: "version 1" },
    { path: nodePaths.policy, text: "{}", said: "it has no default" },
    { path: "/etc/containers/registries.d/a.yaml", text: "[]", said: "not a YAML object" },
  ])(
    "When the container runtime refuses $path, the MachineConfig should have an error",
    ({ path, text, said }) => {
      const [issue, ...others] = issuesOf({
        objects: [quay, aMachineConfig("99-worker-x", { [path]: text })],
      });
      expect(others).toEqual([]);
      expect(issue).toMatchObject({ code: "InvalidNodeFile", object: "MachineConfig/99-worker-x", path });
      expect(issue?.message).toContain(said);
    },
  );

  test("When registries.conf has version 1, it should count, with a warning that names whom it concerns", () => {
    const text =
      '[registries.search]\nregistries = ["a.io"]\n[registries.block]\nregistries = ["quay.io/x"]\n';
    const [warning, ...others] = issuesOf({
      objects: [aMachineConfig("99-worker-x", { [nodePaths.registriesConf]: text })],
    });
    expect(others).toEqual([]);
    expect(warning).toMatchObject({ code: "OldRegistriesConf", path: nodePaths.registriesConf });
    expect(warning?.message).toContain("podman 6");
  });

  const withConfig = (config: object) => ({
    ...aMachineConfig("99-worker-x", {}),
    spec: { config: { ignition: { version: "3.4.0" }, ...config } },
  });
  const withFile = (file: object) => withConfig({ storage: { files: [{ path: "/etc/any", ...file }] } });
  const ignition = "spec.config.ignition.version";
  const version = (text: string) => withConfig({ ignition: { version: text } });
  const sticky = withConfig({
    ignition: { version: "3.2.0" },
    storage: { files: [{ path: "/etc/any", mode: 0o1777 }] },
  });

  test.for<
    readonly [name: string, machineConfig: ReturnType<typeof withFile>, said: string, path?: string, object?]
  >([
    ["overwrite without source", withFile({ overwrite: true }), "overwrite: true"],
    [
      "one of a later release",
      version("3.5.0"),
      "3.0.0 to 3.4.0, not 3.5.0",
      ignition,
      { releaseVersion: "4.18" },
    ],
    ["a mode that Ignition no longer reduces", sticky, "01777", "/etc/any", { releaseVersion: "5.0.1" }],
  ])(
    "When a MachineConfig has $0, it should have the error that its pool is not rendered",
    ([, machineConfig, said, path = "/etc/any", release = {}]) => {
      const found = issuesOf({ objects: [quay, machineConfig], ...release });
      const object = "MachineConfig/99-worker-x";
      expect(found).toMatchObject([{ code: "RefusedMachineConfig", object, path }]);
      for (const part of ["RenderDegraded", said]) expect(found[0]?.message).toContain(part);
    },
  );

  test.for(["4.22.1", undefined])(
    "When the release is %s, Ignition should be taken to reduce the mode",
    (releaseVersion) => {
      const release = releaseVersion === undefined ? {} : { releaseVersion };
      expect(issuesOf({ objects: [quay, sticky], ...release })).toEqual([]);
    },
  );

  test("When a file is fetched from elsewhere, it should be named", () => {
    const remote = aMachineConfig("99-worker-x", { [dropInPath]: { source: "https://a.io/f" } });
    expect(issuesOf({ objects: [remote] })).toMatchObject([{ code: "UnreadNodeFile", path: dropInPath }]);
  });
});

test("When there are no MachineConfigPools, master and worker should be assumed", () => {
  expect(poolsOf([quay])).toEqual([{ name: "master" }, { name: "worker" }]);
  expect(poolNamed([quay], "infra")).toEqual({ name: "infra" });
});

test("When there are pools, they should be sorted and have their objects", () => {
  const pool = (name: string) => ({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name },
  });
  expect(poolsOf([pool("worker"), pool("infra")])).toEqual([
    { name: "infra", object: pool("infra") },
    { name: "worker", object: pool("worker") },
  ]);
});

test("When nothing is written by hand, the files should be the rendered ones", () => {
  const rendered = configureMirrors({ objects: [quay] });
  const { files, issues } = configurePool({ name: "worker" }, { objects: [quay] }, rendered);
  expect(issues).toEqual([]);
  expect(files).toEqual(
    rendered.files.map((file) => ({ ...file, writtenBy: "99-worker-generated-registries" })),
  );
});
