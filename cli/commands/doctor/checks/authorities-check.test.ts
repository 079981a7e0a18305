import { expect, test } from "vitest";
import { authoritiesCheck } from "./authorities-check.ts";
import { aHubThatAllows } from "./fixtures.ts";

const needed = { name: "hosted-clusters", namespace: "hubrelay", accesses: [] };

test("When the Image configuration names no authorities, it should send no review", async () => {
  const { hub, asked } = aHubThatAllows(() => false);
  expect(await authoritiesCheck(hub, undefined, needed, true)).toMatchObject({ state: "ok" });
  expect(asked).toEqual([]);
});

test.for([
  { asAccount: false, account: undefined },
  { asAccount: true, account: { namespace: "hubrelay", name: "hubrelay-hosted-clusters" } },
])(
  "When they may be read, with asAccount $asAccount it should review that account",
  async ({ asAccount, account }) => {
    const { hub, asked } = aHubThatAllows(() => true);
    expect(await authoritiesCheck(hub, "registries", needed, asAccount)).toMatchObject({
      state: "ok",
      found: "The ConfigMap openshift-config/registries may be read.",
    });
    expect(asked.map(({ account }) => account)).toEqual([account]);
    expect(asked[0]?.access).toContain("get core configmaps");
  },
);

test("When they may not be read, it should return a note with the commands that allow it", async () => {
  const { hub } = aHubThatAllows(() => false);
  expect(await authoritiesCheck(hub, "registries", needed, true)).toMatchObject({
    state: "note",
    found: expect.stringContaining("openshift-config/registries may not be read"),
    remedy: expect.stringMatching(/oc create role .*--resource-name registries && oc create rolebinding/),
  });
});
