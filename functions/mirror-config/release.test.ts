import { describe, expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { anImageDigestMirrorSet } from "#shared/domain/mirrors/fixtures.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";
import { type Registry, type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { aClusterVersion, anImageConfig, aPool } from "../../test/support/hub/objects.ts";
import { quietPorts } from "../../test/support/messages/quiet-ports.ts";
import { mirrorConfig } from "./controller.ts";

/* Where the images of the hub's release are: read from registries, remembered, and guarded. */

const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
const four = "quay.io/openshift-release-dev/ocp-v4.0-art-dev";
const five = "quay.io/openshift-release-dev/ocp-v5.0-art-dev";
const third = "registry.example.com/third/party";
const published = `quay.io/openshift-release-dev/ocp-release@${digest("a")}`;
const private50 = `registry.example.com/ocp/release@${digest("a")}`;
const never = { mirrorSourcePolicy: "NeverContactSource" };

/** The image-references of a generated payload of 5.0. */
const imageReferences = JSON.stringify({
  kind: "ImageStream",
  metadata: { name: "5.0.0" },
  spec: {
    tags: [four, five, third, four].map((repository, index) => ({
      name: `component-${index}`,
      from: { kind: "DockerImage", name: `${repository}@${digest(String(index + 1))}` },
    })),
  },
});

type Registries = {
  respond: "with the release" | "with an error" | "only to credentials";
  /** Beginnings of images that are not there, and of those whose registry fails. */
  absent: string[];
  failing: string[];
};

/** A hub with this release, and registries whose behaviour a test may change. */
function aWorld(release: string, objects: readonly KubernetesObject[]) {
  const registries: Registries = { respond: "with the release", absent: [], failing: [] };
  const requests: string[] = [];
  const ask = async (image: string, access: RegistryAccess = {}) => {
    requests.push(`${access.pullSecret ? "with credentials " : ""}${image}`);
    const fails = registries.failing.some((place) => image.startsWith(place));
    if (fails || registries.respond === "with an error") throw new RegistryError("Unavailable", "it is down");
    if (registries.respond === "only to credentials" && !access.pullSecret)
      throw new RegistryError("Unauthorized", "log in first");
    return !registries.absent.some((place) => image.startsWith(place));
  };
  const registry: Registry = {
    digest: async (image, access) => ((await ask(image, access)) ? digest("a") : undefined),
    image: async () => undefined,
    files: async (_image, [path = ""]) => new Map([[path, imageReferences]]),
  };
  const memory = memoryHub({ id: "urn:test:hub", now: () => new Date("2026-03-01T02:00:00Z") });
  for (const object of [aPool("worker"), aClusterVersion(release), ...objects]) {
    const { resourceVersion: _, ...metadata } = object.metadata;
    memory.put({ ...object, metadata });
  }
  let mayReadSecrets = false;
  const secrets: string[] = [];
  const hub: Hub = {
    ...memory,
    async get(kind, name, namespace) {
      if (kind.kind !== "Secret") return memory.get(kind, name, namespace);
      secrets.push(`${namespace}/${name}`);
      if (!mayReadSecrets) throw new HubError("Forbidden", "secrets are forbidden");
      return {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name, namespace: namespace ?? "" },
        data: { ".dockerconfigjson": Buffer.from('{"auths":{}}').toString("base64") },
      };
    },
  };
  return {
    registries,
    requests,
    secrets,
    memory,
    permit: () => {
      mayReadSecrets = true;
    },
    async follow() {
      requests.length = 0;
      const { plan } = await reconcile(mirrorConfig, "cluster", {
        ...quietPorts(hub, () => new Date("2026-03-01T02:00:00Z")),
        external: { registry },
      });
      return plan;
    },
    events: () => memory.all(kinds.Event).map(({ reason, message }) => `${reason}: ${message}`),
  };
}

const blocking = (...blockedRegistries: string[]) => anImageConfig({ blockedRegistries });
const codes = ({ issues }: { issues: readonly { code: string; path: string }[] }) =>
  issues.map(({ code, path }) => `${code} ${path}`);

describe("a release that registries have", () => {
  test("When it was read, it should be remembered on an Event, and not be read again", async () => {
    const world = aWorld(published, [blocking(five)]);
    await world.follow();
    expect(world.requests).toEqual([published]);
    expect(world.events()).toContainEqual(
      `ReleaseImages: The images of this release are in ${[four, five, third].join(", ")}; nodes must be able to pull them.`,
    );
    world.registries.respond = "with an error";
    const again = await world.follow();
    expect({ requests: world.requests, actions: again.actions }).toEqual({ requests: [], actions: [] });
    expect(codes(again)).toEqual(["PayloadUnreachable spec.registrySources.blockedRegistries[0]"]);
  });

  test("When no rule could keep nodes from pulling anything, no registry should be asked", async () => {
    const world = aWorld(private50, [
      anImageConfig(),
      anImageDigestMirrorSet("docker", [{ source: "docker.io", mirrors: ["m.lab"] }]),
    ]);
    expect(codes(await world.follow())).toEqual([]);
    expect({ requests: world.requests, secrets: world.secrets }).toEqual({ requests: [], secrets: [] });
  });

  test("When the list is gone, the Event should go as well", async () => {
    const world = aWorld(published, [blocking("docker.io")]);
    await world.follow();
    expect(world.events()).toHaveLength(1);
    const image = world.memory.find(kinds.Image, "cluster");
    if (image) world.memory.put({ ...image, spec: {} });
    await world.follow();
    expect(world.events()).toEqual([]);
  });
});

describe("a release that no registry has", () => {
  test("When its publisher is unknown, an Event on the ClusterVersion should say what is not protected", async () => {
    const world = aWorld(private50, [blocking("docker.io")]);
    world.registries.respond = "with an error";
    expect(codes(await world.follow())).toEqual(["ReleaseImagesUnknown status.desired.image"]);
    expect(world.events()).toEqual([expect.stringMatching(/^ReleaseImagesUnknown: .*it is down/)]);
    await world.follow();
    expect(world.requests).toEqual([]);
  });
});

describe("registries that require credentials", () => {
  test("When reading the pull secret is not permitted, the hub should be asked once, and not at each reconcile", async () => {
    const world = aWorld(private50, [blocking("docker.io")]);
    world.registries.respond = "only to credentials";
    for (let i = 0; i < 5; i++)
      expect(codes(await world.follow())).toEqual(["ReleaseImagesUnknown status.desired.image"]);
    expect(world.secrets).toEqual(["openshift-config/pull-secret"]);
  });

  test("When it is permitted, the release should be read with it", async () => {
    const world = aWorld(private50, [blocking(five)]);
    world.registries.respond = "only to credentials";
    world.permit();
    expect(codes(await world.follow())).toEqual([
      "PayloadUnreachable spec.registrySources.blockedRegistries[0]",
    ]);
    expect(world.requests).toEqual([private50, `with credentials ${private50}`]);
  });
});

describe("images that may only be pulled from mirrors", () => {
  const mirrored = anImageDigestMirrorSet("ocp", [{ source: five, mirrors: ["m.lab/five"], ...never }]);
  const written = (world: ReturnType<typeof aWorld>) => world.memory.all(kinds.MachineConfig).length;

  test("When the mirror does not have them, nothing should be written until it does", async () => {
    const world = aWorld(published, [anImageConfig(), mirrored]);
    world.registries.absent = ["m.lab/"];
    expect(codes(await world.follow())).toEqual(["PayloadUnreachable spec.imageDigestMirrors[0].source"]);
    expect(written(world)).toBe(0);
    world.registries.absent = [];
    expect(codes(await world.follow())).toEqual([]);
    expect(world.requests).toEqual([`m.lab/five@${digest("2")}`]);
    expect(written(world)).toBe(1);
    await world.follow();
    expect(world.requests).toEqual([]);
  });

  test("When the mirror does not respond, nothing should be held back", async () => {
    const world = aWorld(published, [anImageConfig(), mirrored]);
    world.registries.failing = ["m.lab/"];
    expect(codes(await world.follow())).toEqual([]);
    expect(world.requests).toEqual([published, `m.lab/five@${digest("2")}`]);
    expect(written(world)).toBe(1);
  });
});
