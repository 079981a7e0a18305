import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { nodePaths, textFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { anOwner } from "./objects.ts";

const file = textFile(nodePaths.registriesConf, "unqualified-search-registries = []\n");
/** What the function writes for a pool. */
export const rendered = (pool: string) => renderMachineConfig({ pool, files: [file] });

/** What the function would write for a pool, with a change in its Ignition configuration. */
function withConfig(pool: string, config: object): KubernetesObject {
  return { ...rendered(pool), spec: { config: { ignition: { version: "3.5.0" }, ...config } } };
}
const withFiles = (...files: readonly object[]) => withConfig("master", { storage: { files } });
const withMetadata = (metadata: object): KubernetesObject => {
  const object = rendered("master");
  return { ...object, metadata: { ...object.metadata, ...metadata } };
};
const good = {
  path: nodePaths.policy,
  mode: 0o644,
  overwrite: true,
  contents: { source: "data:text/plain;charset=utf-8;base64,", compression: "" },
};

/** What the account of mirror-config must not create, and what the refusal says. */
export const hostileMachineConfigs: readonly Readonly<{
  name: string;
  object: KubernetesObject;
  says: string;
}>[] = [
  {
    name: "When it has another name, it should be refused",
    object: { ...rendered("master"), metadata: { ...rendered("master").metadata, name: "00-master" } },
    says: "built-in pools only",
  },
  {
    name: "When it is for another pool than its name says, it should be refused",
    object: {
      ...rendered("master"),
      metadata: {
        ...rendered("master").metadata,
        labels: { "machineconfiguration.openshift.io/role": "worker" },
      },
    },
    says: "for the pool",
  },
  {
    name: "When it changes the kernel's arguments, it should be refused",
    object: {
      ...rendered("master"),
      spec: { ...Object(rendered("master").spec), kernelArguments: ["init=/bin/sh"] },
    },
    says: "may not write such a field",
  },
  {
    name: "When it replaces the operating system, it should be refused",
    object: {
      ...rendered("master"),
      spec: { ...Object(rendered("master").spec), osImageURL: "quay.io/evil/os" },
    },
    says: "may not write such a field",
  },
  {
    name: "When it contains a systemd unit, it should be refused",
    object: withConfig("master", { systemd: { units: [{ name: "evil.service", enabled: true }] } }),
    says: "nothing else of a node",
  },
  {
    name: "When it contains a user, it should be refused",
    object: withConfig("master", {
      passwd: { users: [{ name: "core", sshAuthorizedKeys: ["ssh-ed25519 AAAA"] }] },
    }),
    says: "nothing else of a node",
  },
  {
    name: "When it fetches another configuration, it should be refused",
    object: withConfig("master", {
      ignition: { version: "3.5.0", config: { merge: [{ source: "https://evil.example.com" }] } },
    }),
    says: "nothing else of a node",
  },
  {
    name: "When it links a file, it should be refused",
    object: withConfig("master", { storage: { links: [{ path: "/etc/passwd", target: "/tmp/x" }] } }),
    says: "nothing else of a node",
  },
  {
    name: "When it writes a foreign file, it should be refused",
    object: withFiles(good, { ...good, path: "/etc/sudoers.d/evil" }),
    says: "files of registries",
  },
  {
    name: "When it leaves the folder of policies, it should be refused",
    object: withFiles({ ...good, path: "/etc/crio/policies/../../cron.d/x.json" }),
    says: "files of registries",
  },
  {
    name: "When a file is writable for all users, it should be refused",
    object: withFiles({ ...good, mode: 0o666 }),
    says: "its own content",
  },
  {
    name: "When a file is fetched from a URL, it should be refused",
    object: withFiles({ ...good, contents: { source: "https://evil.example.com/policy.json" } }),
    says: "its own content",
  },
  {
    name: "When a file's content is compressed, it should be refused",
    object: withFiles({ ...good, contents: { ...good.contents, compression: "gzip" } }),
    says: "its own content",
  },
  {
    name: "When a file's content is verified, it should be refused",
    object: withFiles({ ...good, contents: { ...good.contents, verification: { hash: "sha512-0" } } }),
    says: "its own content",
  },
  {
    name: "When a file's content is requested with headers, it should be refused",
    object: withFiles({ ...good, contents: { ...good.contents, httpHeaders: [{ name: "A", value: "b" }] } }),
    says: "its own content",
  },
  {
    name: "When a file's mode has a special bit, it should be refused",
    object: withFiles({ ...good, mode: 0o4644 }),
    says: "its own content",
  },
  {
    name: "When it has an owner that is missing, it should be refused",
    object: withMetadata({ ownerReferences: [anOwner] }),
    says: "no owner but an Image",
  },
  {
    name: "When it has a finalizer, it should be refused",
    object: withMetadata({ finalizers: ["example.com/held"] }),
    says: "may not write such a field",
  },
];
