import { expect, onTestFinished, test } from "vitest";
import { type Access, accessText } from "#shared/domain/kubernetes/access.ts";
import { grantsOf } from "#shared/domain/kubernetes/roles.ts";
import { hubRbacManifests } from "../doctor/checks/access-rows.ts";
import { reviewedRights } from "./rights.ts";

const manifests = await hubRbacManifests();
const parts = ["forwarder", "mirror-config"];

/** Reviews both parts on a hub that grants them their roles, without one, and counts its requests. */
async function reviewed(lacking: (access: Access) => boolean = () => false) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const requests: string[] = [];
  const hubOf = (part: string) => {
    const granted = grantsOf(`hubrelay-${part}`, manifests).filter((access) => !lacking(access));
    return {
      async grantsIn(namespace: string) {
        requests.push(`rules of ${part} in ${namespace}`);
        return granted.filter((grant) => [undefined, namespace].includes(grant.namespace));
      },
      async isAllowed(access: Access) {
        requests.push(accessText(access));
        return false;
      },
    };
  };
  const rights = reviewedRights(parts, { hubOf, signal: stop.signal });
  await expect.poll(() => rights.notReady() ?? "none").not.toContain("was not asked yet");
  return { problem: rights.notReady() ?? "none", requests };
}

test("When the accounts have their roles, it should ask once for each namespace, not once for each right", async () => {
  const { problem, requests } = await reviewed();
  expect(problem).toBe("none");
  expect(requests).toEqual([
    "rules of forwarder in default",
    "rules of forwarder in hubrelay",
    "rules of mirror-config in default",
  ]);
});

test("When the rules lack a right, it should ask for that one, and say who may not do what", async () => {
  const { problem, requests } = await reviewed(
    ({ verb, resource }) => `${verb} ${resource}` === "update machineconfigs",
  );
  const refused = "update machineconfiguration.openshift.io machineconfigs";
  expect(requests.slice(-1)).toEqual([expect.stringContaining(refused)]);
  expect(problem).toContain(`mirror-config may not ${refused}`);
});
