import { expect, test } from "vitest";
import type { HubInspection, ServiceAccount } from "#shared/adapters/kubernetes-hub/inspection.ts";
import { accessText } from "#shared/domain/kubernetes/access.ts";
import { authoritiesCheck } from "./authorities-check.ts";

const needed = { name: "hosted-clusters", namespace: "hubrelay", accesses: [] };

/** A hub that allows all, or nothing, and remembers what it was asked about whom. */
function aHub(isAllowed: boolean) {
  const asked: (readonly [string, ServiceAccount | undefined])[] = [];
  const nobody = async () => {
    throw new Error("not asked here");
  };
  const hub: HubInspection = {
    server: "https://hub.example.com",
    version: nobody,
    user: nobody,
    resources: nobody,
    versions: nobody,
    object: nobody,
    schema: nobody,
    isAllowed: async (access, account) => {
      asked.push([accessText(access), account]);
      return isAllowed;
    },
    close: () => undefined,
  };
  return { hub, asked };
}

test("When the Image configuration names no authorities, nothing should be asked", async () => {
  const { hub, asked } = aHub(false);
  expect(await authoritiesCheck(hub, undefined, needed, true)).toMatchObject({ state: "ok" });
  expect(asked).toEqual([]);
});

test.for([
  { asAccount: false, account: undefined },
  { asAccount: true, account: { namespace: "hubrelay", name: "hubrelay-hosted-clusters" } },
])(
  "When they may be read, with $asAccount it should be whoever was asked about",
  async ({ asAccount, account }) => {
    const { hub, asked } = aHub(true);
    expect(await authoritiesCheck(hub, "registries", needed, asAccount)).toMatchObject({
      state: "ok",
      found: "The ConfigMap openshift-config/registries may be read.",
    });
    expect(asked.map(([, who]) => who)).toEqual([account]);
    expect(asked[0]?.[0]).toContain("get core configmaps");
  },
);

test("When they may not be read, it should note the commands that let them be", async () => {
  const { hub } = aHub(false);
  expect(await authoritiesCheck(hub, "registries", needed, true)).toMatchObject({
    state: "note",
    found: expect.stringContaining("openshift-config/registries may not be read"),
    remedy: expect.stringMatching(/oc create role .*--resource-name registries && oc create rolebinding/),
  });
});
