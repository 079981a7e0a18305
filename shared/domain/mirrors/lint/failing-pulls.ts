import { isRegistryHost } from "../../images/image-reference.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { sentence } from "../../text/redact.ts";
import { neverContactSource, type PullKind, setKinds } from "../input/rules.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";
import { type Assembled, type LintFinding, lintFinding } from "./lint-finding.ts";

const pullText: Readonly<Record<PullKind, string>> = {
  digest: "pull by digest",
  tag: "pull by tag",
  any: "pull",
};

/** Undefined for a host that the runtime does not replace. */
function properHost(host: string): string | undefined {
  if (host === "index.docker.io") return "docker.io";
  return isRegistryHost(host) ? undefined : sentence`${host}.example.com or ${host}:5000`;
}

/**
 * Finds mirrors whose host the runtime would complete. After prepending a mirror it requires a full reference, for
 * all mirrors before it tries the first, and gives up otherwise.
 */
export function failingMirrors({ rules }: Assembled): readonly LintFinding[] {
  return rules.flatMap((rule) =>
    rule.mirrors.flatMap((mirror, index): readonly LintFinding[] | LintFinding => {
      const [host = ""] = mirror.split("/", 1);
      const proper = properHost(host);
      if (proper === undefined || mirror === rule.source) return [];
      return lintFinding(rule, `mirrors[${index}]`, mirror, {
        code: "MirrorBreaksPulls",
        about: host,
        message: sentence`the mirror ${goQuote(mirror)} has no full host name: every ${pullText[rule.pullKind]} of ${goQuote(rule.source)} fails, before any mirror or the source is tried`,
        remedy: sentence`Write the host in full, for example ${proper}.`,
      });
    }),
  );
}

const pulls = [
  { kind: "digest", unlessOnly: "tag-only" },
  { kind: "tag", unlessOnly: "digest-only" },
] as const;

function unserved({ mirrors }: RegistryEntry): readonly (typeof pulls)[number][] {
  return pulls.filter(({ unlessOnly }) =>
    mirrors.every(({ pullFromMirror }) => pullFromMirror === unlessOnly),
  );
}

/**
 * Finds sources that must not be contacted and have mirrors for one kind of pulls only: the other kind fails on every
 * node. Images of a release are pulled by digest only, so their repositories need no mirror for tags.
 */
export function unreachablePulls({
  rules,
  entries,
  needed,
  publishedRepositories,
}: Assembled): readonly LintFinding[] {
  const closing = new Map(
    rules.filter(({ policy }) => policy === neverContactSource).map((rule) => [rule.source, rule]),
  );
  if (closing.size === 0) return [];
  const ofRelease = new Set([...publishedRepositories, ...needed.map(({ repository }) => repository)]);
  return entries.flatMap((entry): LintFinding[] => {
    const source = scopeOf(entry);
    const rule = closing.get(source);
    if (!rule || !entry.blocked || ofRelease.has(source)) return [];
    return unserved(entry).map(({ kind }) =>
      lintFinding(rule, "mirrorSourcePolicy", rule.policy, {
        code: "PullsWithoutLocation",
        about: `${kind} ${source}`,
        message: sentence`no node can pull images of ${goQuote(source)} by ${kind}: no mirror serves pulls by ${kind}, and the source must not be contacted`,
        remedy: sentence`Add mirrors of ${source} to an ${setKinds[kind]}, or allow contacting the source. If its images are not pulled by ${kind}, nothing needs to change.`,
      }),
    );
  });
}
