import { isRegistryHost } from "../../images/image-reference.ts";
import { hostOf } from "../../images/image-scopes.ts";
import { isSource } from "../../images/location-patterns.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { ListedScope } from "../input/read-image.ts";
import type { MirrorRule } from "../input/rules.ts";
import { type Assembled, type LintFinding, lintFinding, scopeFinding } from "./lint-finding.ts";

const dockerHub = "docker.io";
const oldDockerHub = "index.docker.io";

/** A name without a dot is a registry only with a port, and a host also matches itself with one. */
function bareWord(rule: MirrorRule): readonly LintFinding[] {
  const { source } = rule;
  // No image has a name with capitals.
  if (source.includes("/") || isRegistryHost(source) || source !== source.toLowerCase()) return [];
  const image = `${dockerHub}/library/${source}`;
  return [
    lintFinding(rule, "source", source, {
      code: "MatchesOnlyWithPort",
      about: source,
      message: sentence`${goQuote(source)} is read as a registry, of which only names with a port match, such as ${source}:5000/app; the image ${source} is looked up as ${image}`,
      remedy: sentence`Write the image as ${image}, or the registry with its port or its full host name.`,
    }),
  ];
}

type FindingText = Readonly<{ about: string; message: string; remedy: string }>;

function whyUnmatched(scope: string): FindingText | undefined {
  const host = hostOf(scope);
  const path = scope.slice(host.length + 1);
  if (host === oldDockerHub) {
    return {
      about: oldDockerHub,
      message: sentence`${goQuote(scope)} matches no image: those of ${oldDockerHub} are looked up as ${dockerHub}`,
      remedy: sentence`Write ${path === "" ? dockerHub : `${dockerHub}/${path}`}.`,
    };
  }
  if (path === "" || isRegistryHost(host)) return undefined;
  return {
    about: "",
    message: sentence`${goQuote(scope)} matches no image: a name without a registry is looked up as ${dockerHub}/${scope}`,
    remedy: sentence`Add the registry, for example ${dockerHub}/${scope}.`,
  };
}

/** `docker.io/alpine` as source of `…/library/alpine`: the intended image has another name. */
function officialImage({ source, mirrors }: MirrorRule): FindingText | undefined {
  const name = source.startsWith(`${dockerHub}/`) ? source.slice(dockerHub.length + 1) : "/";
  if (name.includes("/") || !mirrors.some((mirror) => mirror.endsWith(`/library/${name}`))) return undefined;
  return {
    about: "library",
    message: sentence`${goQuote(source)} does not match the image ${name}, which is looked up as ${dockerHub}/library/${name}`,
    remedy: sentence`Write ${dockerHub}/library/${name}.`,
  };
}

const code = "NeverMatches";

function inRule(rule: MirrorRule): readonly LintFinding[] {
  const text = whyUnmatched(rule.source) ?? officialImage(rule);
  return text ? [lintFinding(rule, "source", rule.source, { ...text, code })] : bareWord(rule);
}

function inList(image: KubernetesObject, listed: ListedScope): readonly LintFinding[] {
  // A scope that only older API servers accepted may have any form.
  const text = isSource(listed.scope) ? whyUnmatched(listed.scope) : undefined;
  return text ? [scopeFinding(image, listed, { ...text, code })] : [];
}

/** Finds sources and listed scopes that match no image, because the runtime completes names first. */
export function unmatchedNames({
  rules,
  image,
  insecure,
  blocked,
  allowed,
}: Assembled): readonly LintFinding[] {
  return [
    ...rules.flatMap(inRule),
    ...(image ? [...insecure, ...blocked, ...allowed].flatMap((listed) => inList(image, listed)) : []),
  ];
}
