import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { defineController } from "#shared/runtime/controller.ts";

/** What a change of the source leaves on the target. */
export const markAnnotation = "hubrelay.dev/bench-mark";
/** The objects that take part; the target is there from the beginning. */
export const followed = "followed";

export const markOf = (object: KubernetesObject | undefined) =>
  object?.metadata.annotations?.[markAnnotation];

export function marked(object: KubernetesObject, mark: string): KubernetesObject {
  const annotations = { ...object.metadata.annotations, [markAnnotation]: mark };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

type Pair = Readonly<{ source: KubernetesObject | undefined; target: KubernetesObject | undefined }>;

/** The target gets the source's mark. */
function planFollow({ source, target }: Pair): Plan {
  const nothing: Plan = { decisions: [], issues: [], actions: [] };
  const mark = markOf(source);
  if (!target || mark === undefined || markOf(target) === mark) return nothing;
  return {
    ...nothing,
    actions: [{ verb: "update", object: marked(target, mark), reason: "the mark moved" }],
  };
}

/** A function that does little: one ImageDigestMirrorSet's mark goes to an ImageTagMirrorSet. */
export const follow = defineController<Pair>({
  name: "follow",
  queue: "follow",
  kinds: [kinds.ImageDigestMirrorSet],
  mapToKey: ({ name }) => (name === followed ? name : undefined),
  async observe(hub, key) {
    const target = await hub.get(kinds.ImageTagMirrorSet, key);
    return { target, source: await hub.get(kinds.ImageDigestMirrorSet, key) };
  },
  decide: planFollow,
});
