import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";
import { aContentSourcePolicy, aDigestMirrorSet, anImageConfig, aTagMirrorSet } from "../hub/objects.ts";

const mirrorKinds = [kinds.ImageDigestMirrorSet, kinds.ImageTagMirrorSet, kinds.ImageContentSourcePolicy];

/** One change that a person makes on the hub. */
export type Edit = Readonly<{
  what: "mirrors" | "tags" | "invalid" | "removal" | "registries";
  team: number;
  choice: number;
}>;

export const edits: fc.Arbitrary<Edit> = fc.record({
  what: fc.constantFrom("mirrors", "tags", "invalid", "removal", "registries"),
  team: fc.nat(5),
  choice: fc.nat(9),
});

/** True for errors after which a person would retry: another writer was faster, or the hub is unavailable. */
const isWorthAnother = (error: unknown) =>
  error instanceof HubError && (error.isRetryable || error.code === "AlreadyExists");

async function persist(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isWorthAnother(error)) throw error;
      await sleep(50);
    }
  }
}

/** Creates the object, or gives the present one this spec. */
function put(hub: Hub, kind: Kind, { metadata, spec }: KubernetesObject): Promise<void> {
  return persist(async () => {
    const { apiVersion } = kind;
    const present = await hub.get(kind, metadata.name);
    if (present) await hub.update({ ...present, spec });
    else await hub.create({ apiVersion, kind: kind.kind, metadata: { name: metadata.name }, spec });
  });
}

function remove(hub: Hub, kind: Kind, name: string): Promise<void> {
  return persist(async () => {
    if (await hub.get(kind, name)) await hub.delete({ ...kind, name });
  });
}

/** Makes the change. Every team has its own sources, so that the result does not depend on earlier edits. */
export async function makeEdit(hub: Hub, { what, team, choice }: Edit): Promise<void> {
  const name = `team-${team}`;
  const source = `quay.io/${name}`;
  const mirrors = [`m${choice}.example.com/${name}`];
  switch (what) {
    case "mirrors":
      return put(hub, kinds.ImageDigestMirrorSet, aDigestMirrorSet(name, [{ source, mirrors }]));
    case "tags":
      return put(
        hub,
        kinds.ImageTagMirrorSet,
        aTagMirrorSet(name, [{ source: `${source}/tagged`, mirrors }]),
      );
    case "invalid": {
      // The kind whose API accepts any text. Nothing is written before the rule is right again.
      const right = { source: `${source}/old`, mirrors };
      const wrong = { source: `${source}/wrong`, mirrors: mirrors.map((mirror) => `${mirror}:v${choice}`) };
      await put(hub, kinds.ImageContentSourcePolicy, aContentSourcePolicy(name, [right, wrong]));
      return put(hub, kinds.ImageContentSourcePolicy, aContentSourcePolicy(name, [right]));
    }
    case "removal":
      return remove(hub, mirrorKinds[choice % mirrorKinds.length] ?? kinds.ImageDigestMirrorSet, name);
    case "registries": {
      const config = anImageConfig({ insecureRegistries: [`insecure${choice}.example.com`] });
      return put(hub, kinds.Image, config);
    }
  }
}

/** The mirror set whose number shows which edits a result includes. */
export function markWith(hub: Hub, number: number): Promise<void> {
  const rules = [{ source: "quay.io/marker", mirrors: [`n${number}.example.com/marker`] }];
  return put(hub, kinds.ImageDigestMirrorSet, aDigestMirrorSet("marker", rules));
}
