import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { defineController } from "#shared/runtime/controller.ts";

/** The annotation that `follow` copies from one object, the source, to another object, the target. */
export const markAnnotation = "hubrelay.dev/bench-mark";
/** The name of both the source and the target. The target exists from the beginning. */
export const followed = "followed";

export const markOf = (object: KubernetesObject | undefined) =>
  object?.metadata.annotations?.[markAnnotation];

export function marked(object: KubernetesObject, mark: string): KubernetesObject {
  const annotations = { ...object.metadata.annotations, [markAnnotation]: mark };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

type Pair = Readonly<{ source: KubernetesObject | undefined; target: KubernetesObject | undefined }>;

function planFollow({ source, target }: Pair): Plan {
  const nothing: Plan = { decisions: [], issues: [], actions: [] };
  const mark = markOf(source);
  if (!target || mark === undefined || markOf(target) === mark) return nothing;
  return {
    ...nothing,
    actions: [{ verb: "update", object: marked(target, mark), reason: "the mark moved" }],
  };
}

/** A minimal function for benchmarks: copies an annotation of one ImageDigestMirrorSet to an ImageTagMirrorSet. */
export const follow = defineController({
  name: "follow",
  queue: "follow",
  watches: [
    {
      kind: kinds.ImageDigestMirrorSet,
      mapToKeys: ({ name }) => (name === followed ? [{ name }] : []),
    },
  ],
  async observe({ hub, key }): Promise<Pair> {
    const target = await hub.get(kinds.ImageTagMirrorSet, key);
    return { target, source: await hub.get(kinds.ImageDigestMirrorSet, key) };
  },
  decide: planFollow,
});
