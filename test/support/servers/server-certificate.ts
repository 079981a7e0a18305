import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

/**
 * The self-signed certificate of scripted servers with TLS, for 127.0.0.1 and localhost, valid until 2120. Nothing else
 * may trust it: its key is public.
 */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBTjCB9qADAgECAgEBMAoGCCqGSM49BAMCMBgxFjAUBgNVBAMMDXJlZ2lzdHJ5
LnRlc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBgxFjAUBgNV
BAMMDXJlZ2lzdHJ5LnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQZ48Wf
vPxHIHRqTrViK3gQ3fqvdeDGmfj1+4fqF95EAipHKd5+uU1bad0YaWLWM6KXjtjt
k03Jw9ZdOfZHKLAfoy8wLTAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGHBH8A
AAGCCWxvY2FsaG9zdDAKBggqhkjOPQQDAgNHADBEAiBKh0zsbctVWdKzKnPU/D75
4AsCzPOb4G6GQjwUaUHMuwIgfcQt6rIYFDhymFaF/qPVr0pO/pLSD9M0yMlp5UpY
wI0=
-----END CERTIFICATE-----
`;

export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMqsmYqcm/aJXMINf
yUuOId1+1kCCmtN0EtJA01Q9YO+hRANCAAQZ48WfvPxHIHRqTrViK3gQ3fqvdeDG
mfj1+4fqF95EAipHKd5+uU1bad0YaWLWM6KXjtjtk03Jw9ZdOfZHKLAf
-----END PRIVATE KEY-----
`;

/** The objects by which a cluster trusts the certificate: its proxy settings, and the ConfigMap that they name. */
export const trustedByProxy: Readonly<Record<"proxy" | "bundle", KubernetesObject>> = {
  proxy: {
    apiVersion: "config.openshift.io/v1",
    kind: "Proxy",
    metadata: { name: "cluster" },
    spec: { trustedCA: { name: "user-ca-bundle" } },
  },
  bundle: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "user-ca-bundle", namespace: "openshift-config" },
    data: { "ca-bundle.crt": certificate },
  },
};
