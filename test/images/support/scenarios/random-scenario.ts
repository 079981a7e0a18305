import { createHash } from "node:crypto";
import fc from "fast-check";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  aContentSourcePolicy,
  aDigestMirrorSet,
  anImageConfig,
  aTagMirrorSet,
} from "../../../support/hub/objects.ts";
import { type Lab, registries } from "../network/lab.ts";
import type { Image, ImageFile } from "../registries/image.ts";

/** A random cluster, what its nodes pull, and how many of the places hold it. */
export type RandomScenario = Readonly<{
  objects: readonly KubernetesObject[];
  image: KubernetesObject;
  /** Repositories to pull from, each by tag and by digest. */
  pulls: readonly string[];
  /** The index of the image; other images are held by other places. */
  held: number;
}>;

// Few names, so that scopes nest, lists share mirrors and mirrors are sources themselves.
const sources = [
  "a.io",
  "a.io/ns",
  "a.io/ns/app",
  "x.a.io",
  "x.a.io/ns",
  "a.io:5000/ns",
  "*.io",
  "*.a.io",
  "*.x.a.io",
];
const mirrors = [
  "m1.lan",
  "m1.lan/c",
  "m2.lan:5000/c",
  "m3.lan/deep/er",
  "plain.lan/c",
  "plain.lan:5000",
  "untrusted.lan",
  "a.io/ns",
  "x.a.io/ns",
];
const scopes = [...sources, ...mirrors, "a.io/ns/other", "m1.lan/c/ns", "plain.lan", "*.lan", "*.m1.lan"];
const pulled = [
  "a.io/ns/app",
  "a.io/ns/other",
  "a.io/app",
  "x.a.io/ns/app",
  "y.x.a.io/ns/app",
  "a.io:5000/ns/app",
  "m1.lan/c/ns/app",
];

type Rule = Readonly<{ source: string; mirrors: readonly string[] }>;

const rule = fc.record({
  source: fc.constantFrom(...sources),
  mirrors: fc.uniqueArray(fc.constantFrom(...mirrors), { minLength: 1, maxLength: 4 }),
});
const rules = fc.array(rule, { minLength: 1, maxLength: 5 });
const someScopes = (maxLength: number) => fc.uniqueArray(fc.constantFrom(...scopes), { maxLength });
const allowed = fc.uniqueArray(fc.constantFrom(...scopes), { minLength: 4, maxLength: 8 });

/** The policy belongs to the source, since contradicting rules would be left out. */
function withPolicy(never: readonly string[]) {
  return ({ source, mirrors }: Rule) =>
    never.includes(source)
      ? {
          source,
          mirrors: mirrors.filter((mirror) => mirror !== source),
          mirrorSourcePolicy: "NeverContactSource",
        }
      : { source, mirrors };
}

/** Configurations of every kind; `images` is the number of images. */
export function randomScenarios(images: number): fc.Arbitrary<RandomScenario> {
  return fc
    .record({
      never: fc.subarray(sources, { maxLength: 2 }),
      digest: rules,
      tag: rules,
      content: rules,
      insecureRegistries: someScopes(4),
      limits: fc.oneof(
        { weight: 3, arbitrary: someScopes(2).map((blockedRegistries) => ({ blockedRegistries })) },
        { weight: 1, arbitrary: allowed.map((allowedRegistries) => ({ allowedRegistries })) },
      ),
      pulls: fc.uniqueArray(fc.constantFrom(...pulled), { minLength: 3, maxLength: 3 }),
      held: fc.nat(images - 1),
    })
    .map(({ never, digest, tag, content, insecureRegistries, limits, pulls, held }) => ({
      objects: [
        aDigestMirrorSet("digest", digest.map(withPolicy(never))),
        aTagMirrorSet("tag", tag.map(withPolicy(never))),
        // Has no policy, and so must not name a source that others never contact.
        aContentSourcePolicy(
          "content",
          content.filter(({ source }) => !never.includes(source)),
        ),
      ],
      image: anImageConfig({ insecureRegistries, ...limits }),
      pulls,
      held,
    }));
}

/** The number of images of a stock, and in how many of ten places each lies. */
export const spread = [2, 5, 8];

/** Whether a place holds an image depends only on its name, so that runs share what has been pushed. */
export function isHeld(image: number, repository: string): boolean {
  const [coin = 0] = createHash("sha256").update(`${image} ${repository}`).digest();
  return coin % 10 < (spread[image] ?? 0);
}

/** An image that is pushed to each place that holds it before a pull may look there. */
export type Stock = Readonly<{ image: Image; tag: string; provide(repository: string): Promise<void> }>;

/** Makes the images of `spread`, each with these layers below a layer of its own. */
export async function stocks(
  lab: Lab,
  layers: readonly (readonly ImageFile[])[] = [],
): Promise<readonly Stock[]> {
  return Promise.all(
    spread.map(async (_, index) => {
      const image = await lab.image([...layers, [{ path: "stock", content: `${index}` }]]);
      const tag = `v${index}`;
      const provided = new Set<string>();
      return {
        image,
        tag,
        provide: async (repository: string) => {
          const registry = repository.slice(0, repository.indexOf("/"));
          if (provided.has(repository) || !(registry in registries) || !isHeld(index, repository)) return;
          provided.add(repository);
          await lab.push(image, `${repository}:${tag}`);
        },
      };
    }),
  );
}
