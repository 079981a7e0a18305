import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { packageFile } from "../../cli/program/package-files.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool } from "../support/hub/objects.ts";
import { credentialForms } from "../support/messages/credential-forms.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
} from "../support/precache/precache-plan-objects.ts";
import { aWindow } from "../support/precache/precache-windows.ts";
import { scriptedHubApi } from "../support/servers/scripted-hub-api.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const base = [
  aPool("worker"),
  aClusterVersion(),
  anImageConfig(),
  aManagedCluster("sno1"),
  aManagedCluster("sno2"),
];
const upgrade = anUpgrade({ preCachingConfigRef: { name: "config" } });
const planned = (wanted: object, config: object = {}) => [
  upgrade,
  aPolicy("platform", [aWantedRelease({ ...wanted })]),
  aPreCachingConfig({ ...config }),
];
const hosted = (spec: object): KubernetesObject => ({
  ...kinds.HostedCluster,
  metadata: { namespace: "clusters", name: "shop" },
  spec: { release: { image: "quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64" }, ...spec },
});

/** Where a person, or a hostile client, may put such a text. */
const places: Readonly<Record<string, (text: string) => readonly KubernetesObject[]>> = {
  "the source of a mirror set": (source) => [aDigestMirrorSet("a", [{ source, mirrors: ["m.example.com"] }])],
  "a mirror of a mirror set": (mirror) => [
    aDigestMirrorSet("a", [{ source: "quay.io/acme", mirrors: [mirror] }]),
  ],
  "a mirrorSourcePolicy": (mirrorSourcePolicy) => [
    aDigestMirrorSet("a", [{ source: "quay.io/acme", mirrors: ["m.example.com"], mirrorSourcePolicy }]),
  ],
  "the source of an ICSP": (source) => [
    {
      ...kinds.ImageContentSourcePolicy,
      metadata: { name: "a" },
      spec: { repositoryDigestMirrors: [{ source, mirrors: ["m.example.com"] }] },
    },
  ],
  "an insecure registry": (registry) => [anImageConfig({ insecureRegistries: [registry] })],
  "a size of a PreCachingConfig": (spaceRequired) => planned({}, { spaceRequired }),
  "a pattern of a PreCachingConfig": (pattern) => planned({}, { excludePrecachePatterns: [`\\(${pattern}`] }),
  "an override of a PreCachingConfig": (platformImage) => planned({}, { overrides: { platformImage } }),
  "an image of a PreCachingConfig": (image) => planned({}, { additionalImages: [image] }),
  "the upstream of a release": (upstream) =>
    planned({ image: undefined, upstream, channel: "stable-4.20", desiredUpdate: { version: "4.20.3" } }),
  "the schedule of a window": (schedule) => [aWindow("night", { schedule })],
  "the time zone of a window": (timeZone) => [aWindow("night", { timeZone })],
  "a limit of an upgrade": (limit) => [
    {
      ...upgrade,
      metadata: { ...upgrade.metadata, annotations: { "hubrelay.dev/max-per-registry": limit } },
    },
    ...planned({}).slice(1),
  ],
  "the release of a HostedCluster": (image) => [hosted({ release: { image } })],
  "the mirrors of a HostedCluster": (mirror) => [
    hosted({ imageContentSources: [{ source: "quay.io/acme", mirrors: [mirror] }] }),
  ],
};

/** What people run in a pipeline, whose output others read. */
const commands: readonly (readonly string[])[] = [
  ["validate", "-f", "-"],
  ["validate", "-f", "-", "--issues", "json"],
  ["render", "-f", "-"],
  ["convert", "-f", "-"],
  ["explain", "-f", "-", `quay.io/acme/app@sha256:${"a".repeat(64)}`],
  ["hosted", "-f", "-"],
  ["import", packageFile("examples/hub"), "-f", "-", "-o", "json"],
  ["precache", "plan", "-f", "-"],
  // No registry is asked for an image that has a scheme.
  ["ready", "-f", "-", "--image", "https://quay.io/acme/app", "-o", "json"],
  ["windows", "-f", "-"],
  ["verify", "-f", "-"],
];
/** Their standard output is the content itself, for programs. */
const isContent = ([name = ""]: readonly string[]) => ["render", "convert"].includes(name);

/** A hub whose responses have the text wherever they may. */
const inspected = (text: string) =>
  scriptedHubApi({
    version: text,
    user: text,
    served: {
      "config.openshift.io/v1": ["images"],
      [`machineconfiguration.openshift.io/${text}`]: ["machineconfigs"],
    },
    objects: {
      "/apis/config.openshift.io/v1/clusterversions/version": {
        ...aClusterVersion(),
        status: { desired: { version: text }, history: [{ state: "Completed", version: text }] },
      },
      "/apis/config.openshift.io/v1/images/cluster": {
        ...anImageConfig(),
        spec: { additionalTrustedCA: { name: text } },
      },
      "/apis/coordination.k8s.io/v1/namespaces/hubrelay/leases/hubrelay-forwarder": {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { namespace: "hubrelay", name: "hubrelay-forwarder" },
        spec: { holderIdentity: text },
      },
    },
  });

const secret = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{25}$/);

describe("doctor", () => {
  test.for(Object.entries(credentialForms))(
    "When a hub's responses and a setting contain %s, no check should contain it",
    async ([, write]) => {
      const [hidden = ""] = fc.sample(secret, 1);
      const { url } = await inspected(write(hidden));
      const folder = await temporaryFolder();
      const kubeconfig = {
        clusters: [{ name: "hub", cluster: { server: url, "insecure-skip-tls-verify": true } }],
        users: [{ name: "jo", user: {} }],
        contexts: [{ name: "hub", context: { cluster: "hub", user: "jo" } }],
        "current-context": "hub",
      };
      await writeFile(join(folder, "config"), JSON.stringify(kubeconfig));
      const variables = { KUBECONFIG: join(folder, "config"), HUBRELAY_OUTCOME_TOPIC_ARN: write(hidden) };
      const accounts = ["--account", "forwarder", "--account", "hosted-clusters"];
      const { stdout, stderr } = await hubrelay(["doctor", "-o", "json", ...accounts], { variables });
      expect(stdout).toContain('"access of hosted-clusters"');
      expect((stdout + stderr).split("\n").filter((line) => line.includes(hidden))).toEqual([]);
    },
  );
});

describe("commands", () => {
  const planted = fc.record({
    place: fc.constantFrom(...Object.keys(places)),
    form: fc.constantFrom(...Object.keys(credentialForms)),
    secret,
  });

  test.for(commands.map((command) => ({ command, line: command.join(" ") })))(
    "When hubrelay $line reads a credential of any known form, no message should contain it",
    async ({ command }) => {
      await fc.assert(
        fc.asyncProperty(planted, async ({ place, form, secret }) => {
          const written = credentialForms[form]?.(secret) ?? secret;
          const manifests = [...base, ...(places[place]?.(written) ?? [])];
          const stdin = manifests.map(writeManifest).join("---\n");
          const { stdout, stderr } = await hubrelay(command, { stdin });
          const shown = isContent(command) ? stderr : stdout + stderr;
          expect(shown.split("\n").filter((line) => line.includes(secret))).toEqual([]);
        }),
        { numRuns: 25 },
      );
    },
  );
});
