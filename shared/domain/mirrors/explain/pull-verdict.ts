import { hostOf } from "../../images/scope.ts";
import { isSameJson, someOf } from "../../kubernetes/json/values.ts";
import { displayName, referenceTo } from "../../kubernetes/object.ts";
import { type NodeFile, namespaceOfPolicyPath } from "../../openshift/machine-config/node-file.ts";
import { isPayloadPolicy } from "../../openshift/releases/payload-signature-policy.ts";
import { sentence } from "../../text/redact.ts";
import { registrySources } from "../input/read-image.ts";
import { setKinds } from "../input/rules.ts";
import type { EntryBasis } from "../node-config/build.ts";
import { type Outage, outageOf } from "../pull/outage.ts";
import type { Candidate } from "../pull/pull-sources.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";
import {
  type ExplainOptions,
  explainImage,
  type FileOrigin,
  type ImageExplanation,
  isSameRoute,
  type NameExplanation,
} from "./explain-image.ts";
import { explainSources, type Origin, type SourceExplanation } from "./explain-source.ts";
import { originText } from "./explain-texts.ts";

/** Whether nodes can pull an image. This is decided from their files, without a request to a registry. */
export type PullVerdict = Readonly<{
  pullable: boolean;
  /** One sentence: the locations in order or, if there are none, the cause and what to change. */
  text: string;
}>;

/** The rendered entries of registries.conf, and the inputs from which they were rendered. */
export type RenderedFrom = Readonly<{ entries: readonly RegistryEntry[]; basis: EntryBasis }>;

type Nodes = Readonly<{
  /** The nodes that the text is about, such as `of pool worker`. Absent if the text is about all nodes. */
  which?: string | undefined;
  /** What the files were rendered from. Absent if files are the input: the text then names files, not objects. */
  renderedFrom?: RenderedFrom | undefined;
}>;

type Obstacle = Readonly<{
  cause: string;
  /** The fields or files that must all change. */
  change: readonly string[];
  /** Alternatives to `change`: it is enough to change any one of these. */
  instead: readonly string[];
}>;

function fileText({ file, machineConfig }: FileOrigin): string {
  return machineConfig === null ? file : sentence`${file} of MachineConfig ${machineConfig}`;
}

function placesOf(
  scope: string,
  { entry, entryOrigin }: NameExplanation,
  renderedFrom: RenderedFrom | undefined,
  fieldsOf: (source: SourceExplanation) => SourceExplanation["blockedBy"],
): readonly string[] {
  const origin = entry && scopeOf(entry) === scope ? entryOrigin : null;
  const isRendered = renderedFrom !== undefined && (origin?.machineConfig ?? null) === null;
  const sources = isRendered ? explainSources(renderedFrom.entries, renderedFrom.basis, scope) : [];
  const fields = sources.flatMap(fieldsOf).map(originText);
  return fields.length > 0
    ? fields
    : [sentence`entry ${scope} of ${origin ? fileText(origin) : "registries.conf"}`];
}

function rejectedBy(policyScope: string | null, { blocked }: EntryBasis): Origin {
  const image = { kind: "Image", name: "cluster" };
  if (policyScope === null)
    return { ...image, path: blocked.length > 0 ? registrySources : `${registrySources}.allowedRegistries` };
  const listed = blocked.find(({ scope }) => scope === policyScope);
  return { ...image, path: listed?.path ?? `${registrySources}.blockedRegistries` };
}

function policyObstacle(
  { policy }: NameExplanation,
  renderedFrom: RenderedFrom | undefined,
): Obstacle | undefined {
  if (policy.verdict !== "reject") return undefined;
  const cause = sentence`the signature policy in ${fileText(policy)} rejects it`;
  if (renderedFrom === undefined || policy.machineConfig !== null)
    return { cause, change: [fileText(policy)], instead: [] };
  return { cause, change: [originText(rejectedBy(policy.scope, renderedFrom.basis))], instead: [] };
}

function mirrorsText(mirrors: readonly Candidate[], kind: "digest" | "tag"): string {
  if (mirrors.length === 0) return "it has no mirror";
  return mirrors.some(({ reason }) => reason === "blocked")
    ? `every mirror for pulls by ${kind} is blocked`
    : `no mirror of it serves pulls by ${kind}`;
}

function locationObstacle(
  name: NameExplanation,
  renderedFrom: RenderedFrom | undefined,
): Obstacle | undefined {
  const { image, entry, candidates } = name;
  if (candidates.some(({ taken }) => taken)) return undefined;
  const down = candidates.flatMap(({ reason, reference }) => (reason === "down" ? [hostOf(reference)] : []));
  if (down.length > 0)
    return {
      cause: sentence`it has no location outside ${[...new Set(down)].join(" and ")}`,
      change: ["the mirror objects so that another registry is tried"],
      instead: [],
    };
  if (entry === null) return undefined;
  const failing = candidates.find(({ reason }) => reason === "not-a-reference");
  const scope = scopeOf(entry);
  if (failing)
    return {
      cause: sentence`${failing.location} is not an image reference, so the runtime gives up before it tries any location`,
      change: placesOf(scope, name, renderedFrom, ({ mirrors }) =>
        mirrors.flatMap(({ location, listedBy }) => (location === failing.location ? listedBy : [])),
      ),
      instead: [],
    };
  const kind = image.includes("@") ? "digest" : "tag";
  const mirrors = candidates.filter(({ isSource }) => !isSource);
  const blockedMirrors = new Set(mirrors.flatMap(({ blockedBy }) => blockedBy ?? []));
  const blocking = (one: string) => placesOf(one, name, renderedFrom, ({ blockedBy }) => blockedBy);
  return {
    cause: sentence`${scope} is blocked, and ${mirrorsText(mirrors, kind)}`,
    change: blocking(scope),
    instead: [
      ...[...blockedMirrors].map((one) => blocking(one).join(" and ")),
      ...(renderedFrom ? [sentence`add an open mirror of ${scope} to an ${setKinds[kind]}`] : []),
    ],
  };
}

function shortNameObstacle({ image, shortNameRefusedBy }: ImageExplanation): Obstacle | undefined {
  if (!shortNameRefusedBy) return undefined;
  const file = fileText(shortNameRefusedBy);
  return {
    cause: sentence`several search registries may have it, which short_name_mode in ${file} forbids`,
    change: [file],
    instead: [sentence`name ${image} with its registry`],
  };
}

function obstacleOf(name: NameExplanation, renderedFrom: RenderedFrom | undefined): Obstacle | undefined {
  const policy = policyObstacle(name, renderedFrom);
  const location = locationObstacle(name, renderedFrom);
  if (!policy || !location) return policy ?? location;
  const change = [...new Set([...policy.change, ...location.change])];
  return { cause: `${policy.cause}; ${location.cause}`, change, instead: [] };
}

function signedBy({ policy }: NameExplanation, renderedFrom: RenderedFrom | undefined): readonly string[] {
  if (policy.verdict !== "signature") return [];
  const namespace = namespaceOfPolicyPath(policy.file);
  const { policies = [] } = policy.machineConfig === null ? (renderedFrom?.basis ?? {}) : {};
  const found = policies.filter(
    ({ object, scopes }) =>
      [undefined, namespace].includes(object.metadata.namespace) &&
      scopes.some(({ scope }) => scope === policy.scope),
  );
  if (found.length === 0) return [fileText(policy)];
  return found.map(({ object }) =>
    isPayloadPolicy(object)
      ? sentence`${displayName(referenceTo(object))}, which is part of the release`
      : displayName(referenceTo(object)),
  );
}

function pulledText(
  { image, resolvedBy, names }: ImageExplanation,
  which: string,
  renderedFrom: RenderedFrom | undefined,
): string {
  const signers = [...new Set(names.flatMap((name) => signedBy(name, renderedFrom)))];
  const [first, ...others] = names.flatMap(({ candidates }) =>
    candidates
      .filter(({ taken }) => taken)
      .map(({ isSource, reference }) =>
        isSource && resolvedBy === "itself" ? "the source itself" : reference,
      ),
  );
  const inTurn = others.length > 1 ? "in turn from" : "from";
  const then = others.length > 0 ? sentence`; if that fails, ${inTurn} ${someOf(others)}` : " only";
  const signed = signers.length > 0 ? sentence`; they require a signature, by ${signers.join(" and ")}` : "";
  return sentence`Nodes${which} pull ${image} from ${first}${then}${signed}.`;
}

/** Returns whether nodes can pull an image, with a sentence that says from where or, if they cannot, what to change. */
export function pullVerdict(explanation: ImageExplanation, { which, renderedFrom }: Nodes = {}): PullVerdict {
  const whose = which === undefined ? "" : ` ${which}`;
  const ofAll = shortNameObstacle(explanation);
  const judged = explanation.names.map((name) => ({
    name,
    obstacle: ofAll ?? obstacleOf(name, renderedFrom),
  }));
  const open = judged.flatMap(({ name, obstacle }) => (obstacle ? [] : [name]));
  if (open.length > 0)
    return { pullable: true, text: pulledText({ ...explanation, names: open }, whose, renderedFrom) };
  const obstacles = judged.flatMap(({ obstacle }) => obstacle ?? []);
  const causes = [...new Set(obstacles.map(({ cause }) => cause))].join("; ");
  const change = [
    ...new Set(obstacles.flatMap(({ change, instead }) => [change.join(" and "), ...instead])),
  ].join(" or ");
  const text = sentence`No node${whose} can pull ${explanation.image}: ${causes}; change ${change}.`;
  return { pullable: false, text };
}

function outageFor({ image, names }: ImageExplanation, without: readonly string[]): Outage {
  const candidates = names.flatMap((name) => name.candidates);
  const from = candidates.find(({ taken }) => taken)?.reference ?? null;
  const tried = candidates.map(({ reference, reason }) => ({ location: reference, result: reason }));
  return outageOf(without, [{ image, from, tried }]);
}

type PoolNodes = Readonly<{
  pool: string;
  pools: readonly string[];
  filesOf: (pool: string) => readonly NodeFile[];
  renderedFrom: RenderedFrom | undefined;
}>;

function hasSameTexts(a: readonly NodeFile[], b: readonly NodeFile[]): boolean {
  const textsOf = (files: readonly NodeFile[]) => files.map(({ path, contents }) => [path, contents]);
  return isSameJson(textsOf(a), textsOf(b));
}

/** Returns how nodes of a pool pull an image. `otherPools` are the pools whose nodes pull the image in another way. */
export function explainOnPools(
  image: string,
  { pool, pools, filesOf, ...nodes }: PoolNodes,
  options: ExplainOptions,
):
  | Exclude<ReturnType<typeof explainImage>, ImageExplanation>
  | Readonly<{
      explanation: ImageExplanation;
      verdict: PullVerdict;
      otherPools: readonly string[];
      outage?: Outage;
    }> {
  const files = filesOf(pool);
  const explanation = explainImage(image, files, options);
  if ("problem" in explanation) return explanation;
  const otherPools = pools.filter((name) => {
    const others = filesOf(name);
    return !hasSameTexts(others, files) && !isSameRoute(explainImage(image, others, options), explanation);
  });
  const which = otherPools.length > 0 ? sentence`of pool ${pool}` : undefined;
  const verdict = pullVerdict(explanation, { ...nodes, which });
  const { without = [] } = options;
  const outage = without.length > 0 ? { outage: outageFor(explanation, without) } : {};
  return { explanation, verdict, otherPools, ...outage };
}
