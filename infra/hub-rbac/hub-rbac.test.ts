import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { controllers } from "#functions/controllers.ts";
import { kubeconfigName } from "#functions/hosted-clusters/well-known-names.ts";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { expectedObjects } from "#shared/domain/hosted-clusters/disabled-capabilities/expected-objects.ts";
import { traceLocations } from "#shared/domain/hosted-clusters/disabled-capabilities/trace.ts";
import { type Access, accessText, allows, groupOf } from "#shared/domain/kubernetes/access.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { grantsOf, parseRbacManifest } from "#shared/domain/kubernetes/roles.ts";
import { pullSecretName, trustBundleName } from "#shared/registry/registry-access.ts";
import { hubRbacManifests } from "../../cli/commands/doctor/checks/access-rows.ts";
import { recordedHub } from "../../test/support/hub/recorded-hub.ts";
import { temporaryFolder } from "../../test/support/setup/temporary-folder.ts";
import { accountWork, askedByAdmission, permittedByPeople } from "../../test/support/tours/account-work.ts";
import { tourOfOwnHostedClusters } from "../../test/support/tours/hosted-clusters-tour.ts";

describe("the roles of infra/hub-rbac", async () => {
  const manifests = await hubRbacManifests();

  test.for(accountWork)(
    "When $account does all of its work, it should use every permission that it has, and need no other",
    async ({ account, work }) => {
      const person = openDirectoryHub(await temporaryFolder());
      onTestFinished(() => person.close());
      const accesses: Access[] = [];
      const hub = recordedHub(person, (access) => accesses.push(access));
      await work(hub, person, async () => undefined);
      const grants = grantsOf(account, manifests);
      const refused = accesses
        .filter((access) => !grants.some((grant) => allows(grant, access)))
        .filter((access) => !permittedByPeople.test(accessText(access)));
      const unused = grants
        .filter((grant) => !accesses.some((access) => allows(grant, access)))
        .map(accessText)
        .filter((text) => !askedByAdmission.test(text));
      expect(accesses.length).toBeGreaterThan(0);
      expect({ refused: [...new Set(refused.map(accessText))], unused }).toEqual({ refused: [], unused: [] });
    },
  );

  test("When hubrelay writes for hosted clusters, the component's role should permit exactly that", async () => {
    const account = "hubrelay-hosted-clusters";
    const file = join(import.meta.dirname, "../kubernetes/components/own-hosted-clusters/role.yaml");
    const own = parseAllDocuments(await readFile(file, "utf8")).map((one) => parseRbacManifest(one.toJS()));
    const person = openDirectoryHub(await temporaryFolder());
    onTestFinished(() => person.close());
    const accesses: Access[] = [];
    const hub = recordedHub(person, (access) => accesses.push(access));
    await tourOfOwnHostedClusters({ hub, person });
    const grants = grantsOf(account, own);
    const all = [...grants, ...grantsOf(account, manifests)];
    const refused = accesses.filter((access) => !all.some((grant) => allows(grant, access))).map(accessText);
    expect([...new Set(refused)].filter((text) => !permittedByPeople.test(text))).toEqual([]);
    expect(
      grants.filter((grant) => !accesses.some((access) => allows(grant, access))).map(accessText),
    ).toEqual([]);
  });

  test("When a control plane is bound, the role should grant exactly what hubrelay reads there", () => {
    const name = "hubrelay-hosted-clusters-control-plane";
    const binding = parseRbacManifest({
      kind: "RoleBinding",
      metadata: { name, namespace: "clusters-shop" },
      roleRef: { kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name: "somebody", namespace: "hubrelay" }],
    });
    const platforms = [undefined, ...expectedObjects.flatMap((expected) => expected.platforms ?? [])];
    const places = platforms.flatMap((platform = "None") =>
      traceLocations({ isDisabled: true, platform, controlPlaneNamespace: "clusters-shop" }).filter(
        ({ where }) => where === "controlPlane",
      ),
    );
    const all = [
      ...places,
      { kind: kinds.Secret, name: kubeconfigName },
      { kind: kinds.Secret, name: pullSecretName },
      { kind: kinds.ConfigMap, name: trustBundleName },
    ];
    const wanted = all.map(({ kind, name: object }) =>
      accessText({
        verb: "get",
        group: groupOf(kind),
        resource: kind.plural,
        namespace: "clusters-shop",
        name: object,
      }),
    );
    const granted = grantsOf("somebody", [...manifests, binding]).map(accessText);
    expect(granted.toSorted()).toEqual([...new Set(wanted)].toSorted());
  });

  test("When a function has a controller, it should have its own account, which is tested here", () => {
    const accounts = manifests
      .filter(({ kind }) => kind === "ServiceAccount")
      .map(({ metadata }) => metadata.name);
    expect(accounts.toSorted()).toEqual(accountWork.map(({ account }) => account).toSorted());
    for (const { name } of controllers) expect(accounts).toContain(`hubrelay-${name}`);
  });

  test("When an account is bound, it should be bound only to the role with its name", () => {
    const bindings = manifests.flatMap((one) =>
      one.kind === "ClusterRoleBinding" || one.kind === "RoleBinding" ? [one] : [],
    );
    expect(bindings.length).toBeGreaterThanOrEqual(accountWork.length);
    for (const { kind, metadata, roleRef, subjects } of bindings) {
      const { name } = metadata;
      expect(roleRef).toMatchObject({ kind: kind.replace("Binding", ""), name });
      expect(subjects).toEqual([{ kind: "ServiceAccount", name, namespace: "hubrelay" }]);
    }
  });

  test("When a permission is granted, it should have no wildcard, no listing of Secrets and no privilege escalation", () => {
    const granted = accountWork.flatMap(({ account }) => grantsOf(account, manifests));
    const tooMuch = granted.filter(
      ({ verb, group, resource, name }) =>
        [verb, group, resource].some((part) => part.includes("*")) ||
        ["escalate", "bind", "impersonate", "deletecollection"].includes(verb) ||
        ["rbac.authorization.k8s.io", "authentication.k8s.io", "batch"].includes(group) ||
        (group === "apps" && !(name && ["get", "list", "watch"].includes(verb))) ||
        /^(?:pods\/|serviceaccounts|nodes)/.test(resource) ||
        // Whether the pod that has the Lease is gone.
        (resource === "pods" && verb !== "get") ||
        // A function may get a Secret by name; nothing writes one.
        (/^secrets(?:\/|$)/.test(resource) && verb !== "get") ||
        (/^configmaps(?:\/|$)/.test(resource) && name === undefined && ["list", "watch"].includes(verb)),
    );
    expect(tooMuch.map(accessText)).toEqual([]);
  });
});
