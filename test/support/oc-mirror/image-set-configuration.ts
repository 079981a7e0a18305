import * as z from "zod";

/*
 * What oc-mirror v2 reads as an ImageSetConfiguration: it refuses unknown fields, and names that are there twice. Source:
 * openshift/oc-mirror, internal/pkg/api/v2alpha1 and internal/pkg/config, 2026-08.
 */

const once = <Item extends z.ZodType>(item: Item, nameOf: (value: z.infer<Item>) => string) =>
  z.array(item).refine((items) => new Set(items.map(nameOf)).size === items.length, "a name is there twice");

const version = z.string().regex(/^\d+\.\d+\.\d+(?:-[0-9a-z.]+)?$/);
const semanticVersion = version.optional();
const range = { minVersion: semanticVersion, maxVersion: semanticVersion };
const name = z.string().min(1);

const platform = z
  .strictObject({
    graph: z.boolean().optional(),
    channels: once(
      z.strictObject({
        name,
        type: z.enum(["ocp", "okd"]).optional(),
        ...range,
        shortestPath: z.boolean().optional(),
        full: z.boolean().optional(),
      }),
      (channel) => channel.name,
    ).optional(),
    architectures: z.array(z.enum(["amd64", "arm64", "ppc64le", "s390x", "multi"])).optional(),
    platforms: z.array(z.strictObject({ os: name, architecture: name })).optional(),
    release: name.optional(),
  })
  .refine(
    ({ platforms = [], architectures = [] }) => platforms.length === 0 || architectures.length === 0,
    "platforms and architectures cannot be used together",
  )
  // It is not an error there, but nothing mirrors the channels.
  .refine(
    ({ release, channels = [] }) => release === undefined || channels.length === 0,
    "no channels count",
  );

const operator = z.strictObject({
  catalog: name,
  full: z.boolean().optional(),
  targetCatalog: name.optional(),
  targetTag: name.optional(),
  packages: once(
    z.strictObject({
      name,
      ...range,
      defaultChannel: name.optional(),
      channels: once(z.strictObject({ name, ...range }), (channel) => channel.name).optional(),
    }),
    (one) => one.name,
  ).optional(),
});

/** An ImageSetConfiguration that oc-mirror v2 accepts, of the fields that can have to do with readiness. */
export const imageSetConfiguration = z.strictObject({
  apiVersion: z.literal("mirror.openshift.io/v2alpha1"),
  kind: z.literal("ImageSetConfiguration"),
  mirror: z.strictObject({
    platform: platform.optional(),
    operators: once(operator, ({ catalog }) => catalog).optional(),
    additionalImages: z.array(z.strictObject({ name })).optional(),
  }),
});
