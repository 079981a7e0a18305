import { expect, test } from "vitest";
import { traceKinds } from "./expected-objects.ts";
import { findTraces } from "./find-traces.ts";
import {
  anAccount,
  anObject,
  aWholeCluster,
  configs,
  host,
  inGuest,
  off,
  registryConfig,
  whole,
} from "./fixtures.ts";

test("When many service accounts have pull secrets, it should name some and count the others", () => {
  const accounts = Array.from({ length: 7 }, (_, index) =>
    anAccount(`a${index}`, `a${index}-dockercfg-abcde`),
  );
  expect(findTraces(inGuest(...accounts)).map(({ message }) => message)).toEqual([
    "service accounts have pull secrets of a registry that is disabled: shop/a0, shop/a1, shop/a2, shop/a3, shop/a4 and 2 more",
  ]);
});

test.for([
  { platform: "AWS", controllers: off, says: /service accounts get no pull secrets$/ },
  { platform: "AWS", controllers: undefined, says: /service accounts still get pull secrets$/ },
  { platform: "AWS", controllers: ["*"], says: /service accounts still get pull secrets$/ },
  {
    platform: "Azure",
    controllers: undefined,
    says: /on Azure service accounts get pull secrets anyway$/,
  },
  { platform: "IBMCloud", controllers: off, says: /service accounts get no pull secrets$/ },
  {
    platform: "IBMCloud",
    controllers: undefined,
    says: /on IBMCloud service accounts get pull secrets anyway$/,
  },
])(
  "When the registry is removed by its configuration on $platform, it should report the controllers",
  ({ platform, controllers, says }) => {
    const whole = aWholeCluster(platform);
    const removed = registryConfig({ spec: { managementState: "Removed" } });
    const guest = [...(whole.guest ?? []).filter(({ kind }) => kind !== "Config"), removed];
    const controlPlane = [...whole.controlPlane.slice(0, -3), ...configs(host, controllers)];
    const found = findTraces({ ...whole, guest, controlPlane });
    expect(found).toEqual([
      expect.objectContaining({
        kind: "removedByConfig",
        capability: "ImageRegistry",
        message: expect.stringMatching(says),
      }),
    ]);
  },
);

test.for([
  { count: 5, more: "" },
  { count: 6, more: " and 1 more" },
])("When $count service accounts have pull secrets, it should end with '$more'", ({ count, more }) => {
  const names = Array.from({ length: count }, (_, index) => `a${index}`);
  const accounts = names.toReversed().map((name) => anAccount(name, `${name}-dockercfg-abcde`));
  const [trace] = findTraces(inGuest(...accounts));
  const shown = names.slice(0, 5).map((name) => `shop/${name}`);
  expect(trace?.message.split(": ")[1]).toBe(`${shown.join(", ")}${more}`);
});

test.for([
  [["x-dockercfg-abcde"], true],
  [["x-dockercfg-ab12e"], true],
  [["own", "x-dockercfg-abcde"], true],
  [["x-dockercfg-abcd"], false],
  [["x-dockercfg-abcdef"], false],
  [["x-dockercfg-ABCDE"], false],
  [["xdockercfg-abcde"], false],
  [[], false],
] as const)(
  "When a service account has the pull secrets %j, it should be reported: %s",
  ([secrets, isReported]) => {
    expect(findTraces(inGuest(anAccount("a", ...secrets)))).toHaveLength(isReported ? 1 : 0);
  },
);

test.for([undefined, "x-dockercfg-abcde", ["x-dockercfg-abcde"], [null]])(
  "When the pull secrets of a service account are %j, they should be ignored",
  (imagePullSecrets) => {
    const account = anObject(traceKinds.ServiceAccount, "a", "shop", { imagePullSecrets });
    expect(findTraces(inGuest(account))).toEqual([]);
  },
);

test("When another object has pull secrets, they should be ignored", () => {
  const fields = { imagePullSecrets: [{ name: "x-dockercfg-abcde" }] };
  expect(findTraces(inGuest(anObject(traceKinds.Secret, "a", "shop", fields)))).toEqual([]);
});

test("When the registry is on, its pull secrets and its storage should not be reported", () => {
  const guest = [
    ...(whole.guest ?? []).filter(({ kind }) => kind !== "Config"),
    anAccount("builder", "builder-dockercfg-x7k2p"),
    registryConfig({ spec: { managementState: "Managed" }, status: { storage: { s3: {} } } }),
  ];
  expect(findTraces({ ...whole, guest })).toEqual([]);
});
