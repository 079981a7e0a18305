import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Cluster, KubeConfig, type User } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { fileKubeConfig } from "#shared/adapters/hub/kubernetes/kube-config.ts";
import {
  type KubernetesHub,
  type KubernetesHubOptions,
  kubernetesHub,
} from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { failedRequest } from "../support/hub/failed-request.ts";
import { startHub, type TestHub } from "./support/clusters/cluster.ts";
import { readAuditLog } from "./support/observe/audit-log.ts";
import { base64Of, makeAuthority, signCertificate } from "./support/servers/certificates.ts";
import { startConnectProxy } from "./support/servers/connect-proxy.ts";

describe("a connection to a real API server", () => {
  let server: TestHub;
  let port: number;
  beforeAll(async () => {
    server = await startHub();
    port = Number(new URL(server.server).port);
  });
  afterAll(() => server.stop());

  /** A hub for the running test. */
  function opened(config: KubeConfig, options: KubernetesHubOptions = {}): KubernetesHub {
    const hub = kubernetesHub(config, options);
    onTestFinished(() => hub.close());
    return hub;
  }

  /** The admin's kubeconfig with an additional section. */
  function configWith(cluster: Partial<Cluster>, user: Partial<User> = {}): KubeConfig {
    const config = new KubeConfig();
    const [ours, admin] = [
      server.admin.kubeConfig.getCurrentCluster(),
      server.admin.kubeConfig.getCurrentUser(),
    ];
    if (!ours || !admin) throw new Error("the admin's kubeconfig is not whole");
    config.loadFromClusterAndUser({ ...ours, ...cluster }, { ...admin, ...user });
    return config;
  }

  describe("certificates", () => {
    test("When another authority signed the certificate, it should refuse the connection and say why", async () => {
      const authority = await makeAuthority(server.folder, "another");
      const hub = opened(configWith({ caData: await base64Of(authority.certificate) }));
      const error = await failedRequest(hub.get(kinds.Image, "cluster"));
      expect(error.code).toBe("Unavailable");
      expect(error.message).toMatch(/certificate/);
    });

    test("When the server has another name, it should refuse the connection unless the kubeconfig has that name", async () => {
      const wrong = opened(configWith({ tlsServerName: "elsewhere.example.com" }));
      expect((await failedRequest(wrong.get(kinds.Image, "cluster"))).message).toMatch(
        /ERR_TLS_CERT_ALTNAME_INVALID/,
      );
      const named = opened(configWith({ tlsServerName: "localhost" }));
      expect(await named.get(kinds.Image, "cluster")).toBeUndefined();
    });

    test("When a user has a certificate, the server should identify the user by it", async () => {
      const authority = {
        certificate: join(server.folder, "authority.crt"),
        key: join(server.folder, "authority.key"),
      };
      const { certificate, key } = await signCertificate(server.folder, authority, "operator", {
        organizations: ["system:masters"],
      });
      const user = { "client-certificate": certificate, "client-key": key };
      const hub = opened((await server.userAccess("operator", user)).kubeConfig, {
        userAgent: "by-certificate",
      });
      await hub.list(kinds.Image);
      const log = await readAuditLog(server.auditLog);
      expect(log.find(({ userAgent }) => userAgent === "by-certificate")?.user).toBe("operator");
    });
  });

  describe("tokens", () => {
    const roleFor = async (name: string, subject: unknown) => {
      const api = "/apis/rbac.authorization.k8s.io/v1";
      const rules = [{ apiGroups: ["config.openshift.io"], resources: ["images"], verbs: ["get", "list"] }];
      const role = { metadata: { name }, rules };
      await server.api.send({ what: "create", method: "POST", path: `${api}/clusterroles`, body: role });
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
      const binding = { metadata: { name }, roleRef, subjects: [subject] };
      await server.api.send({
        what: "create",
        method: "POST",
        path: `${api}/clusterrolebindings`,
        body: binding,
      });
    };

    test("When a token expires with its account, it should use the next token in the file", async () => {
      const first = await server.account("short");
      await roleFor("short", first.subject);
      const path = first.kubeConfigFile;
      const hub = opened(fileKubeConfig(path), { reload: () => fileKubeConfig(path) });
      const unlucky = opened(fileKubeConfig(path));
      await expect.poll(() => hub.list(kinds.Image).catch(() => "not yet")).toEqual([]);

      const accounts = "/api/v1/namespaces/default/serviceaccounts";
      await server.api.send({ what: "delete", method: "DELETE", path: `${accounts}/short` });
      await expect
        .poll(async () => (await failedRequest(unlucky.list(kinds.Image))).code, { timeout: 30_000 })
        .toBe("Unauthorized");
      expect((await failedRequest(unlucky.list(kinds.Image))).message).not.toContain(first.token);
      const second = await server.account("short");
      await writeFile(path, await readFile(second.kubeConfigFile));
      expect(await hub.list(kinds.Image)).toEqual([]);
    });

    test("When a credential plugin provides the token, it should run the plugin once and cache the token", async () => {
      const plugin = join(server.folder, "plugin.sh");
      const runs = join(server.folder, "plugin.runs");
      const status = {
        token: server.admin.token,
        expirationTimestamp: new Date(Date.now() + 3_600_000).toISOString(),
      };
      const credential = { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status };
      await writeFile(plugin, `#!/bin/sh\necho run >>${runs}\necho '${JSON.stringify(credential)}'\n`, {
        mode: 0o755,
      });
      const exec = {
        apiVersion: "client.authentication.k8s.io/v1",
        command: plugin,
        interactiveMode: "Never",
      };
      const hub = opened((await server.userAccess("by-plugin", { exec })).kubeConfig);
      for (let turn = 0; turn < 5; turn++) expect(await hub.list(kinds.Image)).toEqual([]);
      expect((await readFile(runs, "utf8")).trim()).toBe("run");
    });
  });

  describe("proxies", () => {
    const far = { server: "https://hub.example.com:6443", tlsServerName: "localhost" };

    test("When the kubeconfig names a proxy, it should prefer that one and use its user", async () => {
      await using proxy = await startConnectProxy(port, "robot:hush");
      const proxyUrl = proxy.url.replace("//", "//robot:hush@");
      const hub = opened(configWith({ ...far, proxyUrl }), {
        environment: { HTTPS_PROXY: "http://127.0.0.1:1" },
      });
      expect(await hub.list(kinds.Image)).toEqual([]);
      expect(proxy.asked.length).toBeGreaterThan(0);
    });
  });
});
