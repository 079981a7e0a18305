import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { referenceTo } from "#shared/domain/kubernetes/object.ts";
import { whileLeading } from "#shared/runtime/forwarder/leader-election.ts";
import { hubrelay } from "../../system/cli.ts";
import { startHub, type TestHub } from "../support/clusters/hub.ts";
import { tokenFor } from "../support/clusters/service-account.ts";
import { createManifest } from "../support/manifests/apply-manifests.ts";
import { applyHubRbac, precachingSettings } from "../support/manifests/hub-rbac.ts";
import { readAuditLog } from "../support/observe/audit-log.ts";

const accounts = ["resync", ...controllers.map(({ name }) => name)];

type Check = Readonly<{ name: string; state: string; found: string; remedy?: string }>;

describe("hubrelay doctor on a real API server", () => {
  let server: TestHub;
  beforeAll(async () => {
    server = await startHub();
    await applyHubRbac(
      server.api,
      precachingSettings({ HUBRELAY_WORKLOAD_IMAGE: "registry.lab/workload:1" }),
    );
  });
  afterAll(() => server.stop());

  /** The hub checks by name, run as the user of this kubeconfig. */
  async function checks(kubeConfigFile: string, args: readonly string[] = []) {
    const variables = { KUBECONFIG: kubeConfigFile };
    const { stdout, stderr, exitCode } = await hubrelay(["doctor", "-o", "json", ...args], { variables });
    expect(stderr).toBe("");
    const found: { checks: readonly Check[] } = JSON.parse(stdout);
    return { exitCode, named: Object.fromEntries(found.checks.map((check) => [check.name, check])) };
  }

  const accountFile = async (name: string) =>
    (await server.userAccess(name, { token: await tokenFor(server.api, { namespace: "hubrelay", name }) }))
      .kubeConfigFile;

  test("When a cluster administrator runs it, the hub should have no problem", async () => {
    const { exitCode, named } = await checks(server.admin.kubeConfigFile);
    expect(named.hub).toMatchObject({
      state: "ok",
      found: expect.stringMatching(/Kubernetes v1\..*as admin\.$/),
    });
    expect(named.clock).toMatchObject({ state: "ok" });
    // Kinds that no release has served yet are among the kinds that it reads.
    expect(named["kinds of mirror-config"]).toMatchObject({
      state: "note",
      found: expect.stringContaining("imagesourcedigestpolicies of config.openshift.io/v1"),
    });
    expect(named["access of mirror-config"]).toMatchObject({ state: "ok" });
    expect(exitCode).toBe(0);
  });

  test("When OCM's own CRD is installed, it should have everything that pre-caching needs, and all kinds should be complete", async () => {
    const { named } = await checks(server.admin.kubeConfigFile);
    expect(named.ManifestWork).toMatchObject({ state: "ok" });
    for (const name of ["precache-plan", "precache-status", "hosted-clusters", "maintenance-window"])
      expect(named[`kinds of ${name}`]).toMatchObject({ state: "ok" });
    expect(named.release).toMatchObject({ state: "note" });
  });

  test("When the settings of pre-caching are there, the guard should be in order; without them it should be named", async () => {
    const person = kubernetesHub(server.admin.kubeConfig, { userAgent: "person" });
    const guard = async () => (await checks(server.admin.kubeConfigFile)).named["pre-caching guard"];
    expect(await guard()).toMatchObject({ state: "ok" });
    const settings = precachingSettings();
    await person.delete(referenceTo(settings));
    expect(await guard()).toMatchObject({
      state: "problem",
      found: expect.stringContaining("ConfigMap hubrelay/hubrelay-settings, which does not exist"),
    });
    await person.create(settings);
    expect(await guard()).toMatchObject({ state: "note", found: expect.stringContaining("is not set") });
    person.close();
  });

  test("When a forwarder acquires the Lease and stops, it should report the holder both times", async () => {
    const lease = async () => (await checks(server.admin.kubeConfigFile)).named.lease;
    expect(await lease()).toMatchObject({ state: "note", found: expect.stringContaining("has taken") });
    const hub = kubernetesHub(server.admin.kubeConfig, { userAgent: "forwarder" });
    const stop = new AbortController();
    let leads = () => {};
    const leading = new Promise<void>((done) => {
      leads = done;
    });
    const ended = whileLeading(
      {
        process: "forward",
        hub,
        lease: { namespace: "hubrelay", name: "hubrelay-forwarder" },
        identity: "pod-1",
        signal: stop.signal,
        now: () => new Date(),
        log: () => undefined,
      },
      async (signal) => {
        leads();
        await once(signal, "abort");
      },
    );
    await leading;
    expect(await lease()).toMatchObject({ state: "ok", found: expect.stringContaining("pod-1 has") });
    stop.abort();
    await ended;
    expect(await lease()).toMatchObject({ state: "note", found: expect.stringContaining("released it") });
    hub.close();
  });

  test("When an administrator checks the accounts, each should have what its roles grant", async () => {
    await expect
      .poll(async () => (await checks(server.admin.kubeConfigFile, ["--as-accounts"])).named, {
        timeout: 30_000,
      })
      .toMatchObject({
        "access of forwarder": { state: "ok", found: expect.stringContaining("hubrelay/hubrelay-forwarder") },
        "access of mirror-config": { state: "ok" },
        "access of resync": { state: "ok" },
      });
  });

  test("When Image cluster names authorities, it should note that they are unreadable until an administrator permits it", async () => {
    const authorities = async () =>
      (await checks(server.admin.kubeConfigFile, ["--as-accounts", "--account", "hosted-clusters"])).named
        .authorities;
    const namespace = "openshift-config";
    const name = "hubrelay-registry-authorities";
    await createManifest(server.api, {
      apiVersion: "config.openshift.io/v1",
      kind: "Image",
      metadata: { name: "cluster" },
      spec: { additionalTrustedCA: { name: "registries" } },
    });
    const found = await authorities();
    expect(found).toMatchObject({ state: "note", found: expect.stringContaining(`${namespace}/registries`) });
    // Creates what the commands of the remedy create.
    expect(found?.remedy).toContain(`oc create role ${name} -n ${namespace}`);
    const apiVersion = "rbac.authorization.k8s.io/v1";
    const objects = [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
      {
        apiVersion,
        kind: "Role",
        metadata: { name, namespace },
        rules: [
          { apiGroups: [""], resources: ["configmaps"], resourceNames: ["registries"], verbs: ["get"] },
        ],
      },
      {
        apiVersion,
        kind: "RoleBinding",
        metadata: { name, namespace },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
        subjects: [{ kind: "ServiceAccount", name: "hubrelay-hosted-clusters", namespace: "hubrelay" }],
      },
    ];
    for (const object of objects) await createManifest(server.api, object);
    await expect.poll(authorities, { timeout: 30_000 }).toMatchObject({ state: "ok" });
  });

  test("When an account runs it, it should report the account's own permissions and no other account's", async () => {
    const file = await accountFile("hubrelay-mirror-config");
    await expect
      .poll(async () => (await checks(file, ["--account", "mirror-config"])).exitCode, { timeout: 30_000 })
      .toBe(0);
    const { exitCode, named } = await checks(file, ["--account", "forwarder"]);
    expect(exitCode).toBe(1);
    expect(named["access of forwarder"]).toMatchObject({
      state: "problem",
      found: expect.stringMatching(/^system:serviceaccount:hubrelay:hubrelay-mirror-config may not .*watch/),
    });
  });

  test.for(accounts)(
    "When the account of %s checks its new token, it should have no problem",
    async (name) => {
      const file = await accountFile(`hubrelay-${name}`);
      const { exitCode, named } = await checks(file, ["--account", name]);
      const problems = Object.values(named).filter(({ state }) => state === "problem");
      expect({ exitCode, problems }).toEqual({ exitCode: 0, problems: [] });
    },
  );

  test("When a role is removed, it should name what is missing", async () => {
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/hubrelay-resync";
    await server.api.send({ what: "delete", method: "DELETE", path });
    await expect
      .poll(
        async () =>
          (await checks(server.admin.kubeConfigFile, ["--as-accounts", "--account", "resync"])).named[
            "access of resync"
          ]?.found,
        { timeout: 30_000 },
      )
      .toMatch(
        /^ServiceAccount hubrelay\/hubrelay-resync may not list core events, .*apps deployments .* and \d+ more\.$/,
      );
  });

  test("When the checks have run, they should have written nothing that stays", async () => {
    const own = (await readAuditLog(server.auditLog)).filter(({ userAgent }) => userAgent === "hubrelay");
    const writes = own.filter(({ verb }) => verb !== "get" && verb !== "list");
    expect(writes.length).toBeGreaterThan(0);
    expect(writes.filter(({ verb, uri }) => verb !== "create" || !/reviews$/.test(uri))).toEqual([]);
  });
});
