import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type Access, accessText, allows } from "#shared/domain/kubernetes/access.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { grantsOf } from "#shared/domain/kubernetes/roles.ts";
import { hubRbacManifests } from "../../cli/commands/doctor/checks/access-rows.ts";
import { accountWork, askedByAdmission, permittedByPeople } from "../support/tours/account-work.ts";
import { startHub, type TestHub } from "./support/clusters/cluster.ts";
import { tokenFor } from "./support/clusters/service-account.ts";
import { createManifest } from "./support/manifests/apply-manifests.ts";
import { installCrds, looseCrd } from "./support/manifests/crds.ts";
import { applyHubRbac, precachingSettings } from "./support/manifests/kustomize.ts";
import { type AuditEvent, readAuditLog } from "./support/observe/audit-log.ts";
import { untilAllowed } from "./support/observe/until.ts";

/** Kinds that the hub of the tests does not serve otherwise: a watch of an absent kind is never opened. */
const absentKinds = [
  kinds.FeatureGate,
  kinds.MachineOSConfig,
  kinds.ImageSourceDigestPolicy,
  kinds.ImageSourceTagPolicy,
  kinds.OperatorImageSourceDigestPolicy,
  kinds.OperatorImageSourceTagPolicy,
];

/** The request as the authorizer saw it. */
const accessOf = ({ verb, group, resource, namespace, name }: AuditEvent): Access => ({
  verb,
  group,
  resource,
  ...(namespace ? { namespace } : {}),
  ...(name ? { name } : {}),
});

const namespace = (name: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
});

describe("the roles of infra/hub-rbac on a real API server", async () => {
  const manifests = await hubRbacManifests();
  let server: TestHub;
  let audited: readonly AuditEvent[] = [];

  /** The requests of an account that the server has responded to, or has begun to. */
  const requestsOf = (account: string) =>
    audited.filter(
      ({ user, status }) => user === `system:serviceaccount:hubrelay:${account}` && status !== 0,
    );
  const unusedBy = (account: string): readonly string[] => {
    const accesses = requestsOf(account).map(accessOf);
    return grantsOf(account, manifests)
      .filter((grant) => !accesses.some((access) => allows(grant, access)))
      .map(accessText)
      .filter((text) => !askedByAdmission.test(text));
  };
  /** A watch is in the audit log as soon as it is open; the test on permissions reports what never comes. */
  async function untilWatched(account: string): Promise<void> {
    for (let patience = 100; patience > 0; patience--) {
      audited = await readAuditLog(server.auditLog);
      if (!unusedBy(account).some((text) => text.startsWith("watch "))) return;
      await sleep(100);
    }
  }

  beforeAll(async () => {
    server = await startHub();
    await installCrds(
      server.api,
      absentKinds.map((kind) => looseCrd(kind)),
    );
    await applyHubRbac(server.api, precachingSettings());
    await createManifest(server.api, namespace("team-a"));
    const person = kubernetesHub(server.admin.kubeConfig);
    for (const { account, work } of accountWork) {
      const token = await tokenFor(server.api, { namespace: "hubrelay", name: account });
      const userAccess = await server.userAccess(account, { token });
      await untilAllowed(userAccess, grantsOf(account, manifests));
      const hub = kubernetesHub(userAccess.kubeConfig);
      await work(hub, person, () => untilWatched(account));
      hub.close();
    }
    person.close();
    audited = await readAuditLog(server.auditLog);
  });
  afterAll(() => server.stop());

  test.for(accountWork)("When $account does all of its work, nothing should be refused", ({ account }) => {
    const requests = requestsOf(account);
    const refused = requests.filter(({ status }) => status === 401 || status === 403);
    expect(requests.length).toBeGreaterThan(0);
    const texts = refused.map((event) => accessText(accessOf(event)));
    expect(texts.filter((text) => !permittedByPeople.test(text))).toEqual([]);
  });

  test.for(accountWork)(
    "When $account does all of its work, every permission should be used",
    ({ account }) => {
      expect(unusedBy(account)).toEqual([]);
    },
  );

  test("When the permission that only admission checks is missing, a take-over should be refused", async () => {
    const name = "mirror-config-without-delete";
    const account = await server.account(name, "hubrelay");
    const meta = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name } };
    const rules = [
      {
        apiGroups: ["machineconfiguration.openshift.io"],
        resources: ["machineconfigs"],
        verbs: ["get", "update"],
      },
    ];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
    await createManifest(server.api, { ...meta, kind: "ClusterRole", rules });
    await createManifest(server.api, {
      ...meta,
      kind: "ClusterRoleBinding",
      roleRef,
      subjects: [account.subject],
    });
    const update = { verb: "update", group: "machineconfiguration.openshift.io", resource: "machineconfigs" };
    await untilAllowed(account, [update]);

    const hub = kubernetesHub(account.kubeConfig);
    const found = await hub.get(kinds.MachineConfig, "99-arbiter-generated-registries");
    expect(found?.metadata.ownerReferences).toHaveLength(1);
    if (!found) return;
    const released = { ...found, metadata: { ...found.metadata, ownerReferences: [] } };
    await expect(hub.update(released)).rejects.toMatchObject({
      code: "Invalid",
      message: expect.stringContaining("ownerRef"),
    });
    hub.close();
  });
});
