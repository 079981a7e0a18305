import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { nodePaths, textFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { changedAt, refused } from "./hostile-objects.ts";
import { anOwner } from "./objects.ts";

const file = textFile(nodePaths.registriesConf, "unqualified-search-registries = []\n");
/** What the function writes for a pool. */
export const rendered = (pool: string) => renderMachineConfig({ pool, files: [file] });

/** What the function writes for a pool, with another value at a path. */
const written = (path: string, value: unknown) => changedAt(rendered("master"), path, value);
const ignition = (value: object) => written("spec config", { ignition: { version: "3.5.0" }, ...value });
const withFiles = (...files: readonly object[]) => ignition({ storage: { files } });
const contents = { source: "data:text/plain;charset=utf-8;base64,", compression: "" };
const good = { path: nodePaths.policy, mode: 0o644, overwrite: true, contents };
const withFile = (changes: object) => withFiles({ ...good, ...changes });
const withContents = (changes: object) => withFile({ contents: { ...contents, ...changes } });
const merge = [{ source: "https://evil.example.com" }];

/** What the account of mirror-config must not create, by what the refusal says. */
export const hostileMachineConfigs = refused({
  "built-in pools only": { "it has another name": written("metadata name", "00-master") },
  "for the pool": {
    "it is for another pool than its name says": written("metadata labels", {
      "machineconfiguration.openshift.io/role": "worker",
    }),
  },
  "may not write such a field": {
    "it changes the kernel's arguments": written("spec kernelArguments", ["init=/bin/sh"]),
    "it replaces the operating system": written("spec osImageURL", "quay.io/evil/os"),
    "it has a finalizer": written("metadata finalizers", ["example.com/held"]),
  },
  "nothing else of a node": {
    "it contains a systemd unit": ignition({ systemd: { units: [{ name: "evil.service", enabled: true }] } }),
    "it contains a user": ignition({ passwd: { users: [{ name: "core", sshAuthorizedKeys: ["ssh A"] }] } }),
    "it fetches another configuration": ignition({ ignition: { version: "3.5.0", config: { merge } } }),
    "it links a file": ignition({ storage: { links: [{ path: "/etc/passwd", target: "/tmp/x" }] } }),
  },
  "files of registries": {
    "it writes a foreign file": withFiles(good, { ...good, path: "/etc/sudoers.d/evil" }),
    "it leaves the folder of policies": withFile({ path: "/etc/crio/policies/../../cron.d/x.json" }),
  },
  "its own content": {
    "a file is writable for all users": withFile({ mode: 0o666 }),
    "a file is fetched from a URL": withFile({
      contents: { source: "https://evil.example.com/policy.json" },
    }),
    "a file's content is compressed": withContents({ compression: "gzip" }),
    "a file's content is verified": withContents({ verification: { hash: "sha512-0" } }),
    "a file's content is requested with headers": withContents({ httpHeaders: [{ name: "A", value: "b" }] }),
    "a file's mode has a special bit": withFile({ mode: 0o4644 }),
  },
  "no owner but an Image": {
    "it has an owner that is missing": written("metadata ownerReferences", [anOwner]),
  },
});
