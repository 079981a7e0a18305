import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { isRegistryHost } from "../../images/image-reference.ts";
import { mirrorField, type PullKind } from "../input/rules.ts";
import type { Assembled } from "./assembled.ts";
import { type LintFinding, lintFinding } from "./lint-finding.ts";

const pulls: Readonly<Record<PullKind, string>> = {
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
      return lintFinding(rule, mirrorField(rule, index), mirror, {
        code: "MirrorBreaksPulls",
        about: host,
        message: sentence`the mirror ${goQuote(mirror)} has no full host name: every ${pulls[rule.pullKind]} of ${goQuote(rule.source)} fails, before any mirror or the source is tried`,
        remedy: sentence`Write the host in full, for example ${proper}.`,
      });
    }),
  );
}
