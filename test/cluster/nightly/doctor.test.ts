import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hubrelay } from "../../system/cli.ts";
import { startHub, type TestHub } from "../support/clusters/cluster.ts";
import { applyHubRbac, precachingSettings } from "../support/manifests/kustomize.ts";
import { readAuditLog } from "../support/observe/audit-log.ts";

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
