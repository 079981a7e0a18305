import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { MirrorInput } from "#shared/domain/mirrors/configuration.ts";
import { refusedFileIssue } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import type { ExplainProblem } from "#shared/domain/mirrors/explain/explain-image.ts";
import type { JudgedImage } from "#shared/domain/ready/judge.ts";
import { type ImageRoute, lookupRoute, signedRoute } from "#shared/domain/ready/locations.ts";
import {
  isUnknownVersion,
  mergeWanted,
  versionsOf,
  type WantedImage,
} from "#shared/domain/ready/wanted-images.ts";
import { checkImages, type ReadinessOptions } from "#shared/registry/ready/check-images.ts";
import type { Expansion } from "#shared/registry/ready/expand-images.ts";
import type { NodeRoutes } from "./node-rules.ts";
import { type Requested, wantedImages } from "./wanted.ts";

/** How the registries are asked for nodes that pull alike. */
export type AskOptions = Pick<NodeRoutes, "routeOf" | "architectures"> &
  Pick<ReadinessOptions, "depth" | "isDisconnected" | "onProgress"> &
  Pick<Expansion, "registry" | "access"> &
  Readonly<{
    registry: ReadinessOptions["contents"];
    /** The cluster whose nodes get the releases; undefined for a hosted one, whose payload has no signature policy. */
    cluster: MirrorInput | undefined;
  }>;

/** What the registries have for nodes that pull alike. */
export type AskedNodes = Readonly<{
  images: readonly JudgedImage[];
  bytes: number;
  wanted: readonly WantedImage[];
  /** The releases whose images are known. */
  releases: readonly string[];
  architectures: readonly string[];
  issues: readonly Issue[];
}>;

function unreadable(image: string, { problem, refused }: ExplainProblem): Issue {
  if (refused) return refusedFileIssue(refused);
  return fieldIssue({ kind: "Image", name: image }, "", image, {
    code: "UnreadableImageName",
    message: problem,
    remedy: "Name the image in full, as host/path@sha256:DIGEST or host/path:tag.",
  });
}

/** Finds what is requested, and asks for every image where these nodes pull it. */
export async function askNodes(
  requested: Requested,
  objects: readonly KubernetesObject[],
  { routeOf, architectures, registry, access, cluster, ...options }: AskOptions,
): Promise<AskedNodes> {
  const architecture = architectures[0] ?? "amd64";
  const expansion = { registry, access, architecture, architectures, routeOf };
  const named = await wantedImages(requested, objects, architectures, expansion);
  const wanted = mergeWanted(named.images);
  const routes = wanted.map(({ image, origins }) => {
    const route = routeOf(image);
    if ("problem" in route) return { image, route };
    const signed = cluster ? signedRoute(route, versionsOf(origins), cluster) : route;
    return { image, route: origins.some(isUnknownVersion) ? lookupRoute(signed) : signed };
  });
  const problems = routes.flatMap(({ image, route }) =>
    "problem" in route ? [unreadable(image, route)] : [],
  );
  const readable = routes.flatMap(({ route }): readonly ImageRoute[] => ("problem" in route ? [] : [route]));
  const asked = await checkImages(readable, { ...options, contents: registry, access, architectures });
  return {
    images: asked.images,
    bytes: asked.bytes,
    wanted,
    releases: named.releases,
    architectures,
    issues: [...named.issues, ...problems],
  };
}
