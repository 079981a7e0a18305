import { parseDockerReference } from "../../images/docker-reference.ts";
import { asWarnings, type Issue, type Problem } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { byCodePoint } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { readMirrorObjects } from "../../mirrors/input/read-mirror-sets.ts";
import { type MirrorRule, neverContactSource, ruleIssue } from "../../mirrors/input/rules.ts";
import { sentence } from "../../text/redact.ts";
import type { RegistryOverrides } from "./environment-text.ts";
import { unusablePairs } from "./hypershift-rules.ts";

/** `source` is the only source that the issue concerns; absent if the issue may concern any source. */
type MirrorIssue = Readonly<{ issue: Issue; source?: string }>;

/** The overrides that HyperShift derives from the mirror objects of its management cluster. */
export type HypershiftOverrides = Readonly<{ overrides: RegistryOverrides; issues: readonly MirrorIssue[] }>;

const digestKinds = ["ImageDigestMirrorSet", "ImageContentSourcePolicy"];

const warn = (rule: MirrorRule, field: string, value: unknown, problem: Problem): Issue =>
  ruleIssue(rule, field, value, { ...problem, severity: "warning" });

function ignoredRule(rule: MirrorRule): Issue {
  const { kind } = rule.origin.object;
  return warn(rule, "", rule.source, {
    code: "IgnoredKind",
    message: sentence`HyperShift does not read objects of kind ${kind}`,
    remedy: "Put the rule into an ImageDigestMirrorSet if HyperShift has to know it.",
  });
}

/** Returns a warning for a name that HyperShift cannot parse, and uses only for release images. */
function unreadable(rule: MirrorRule, field: string, what: string, name: string): readonly Issue[] {
  const parsed = parseDockerReference(name);
  if (!("error" in parsed)) return [];
  return [
    warn(rule, field, name, {
      code: "DroppedPair",
      message: sentence`HyperShift cannot parse ${what} ${goQuote(name)} (${parsed.error}) and skips it, except for release images`,
      remedy: "Write host[:port][/path] in lower case, without wildcard, scheme and trailing slash.",
    }),
  ];
}

function silentlyDropped(rule: MirrorRule): readonly Issue[] {
  if (!digestKinds.includes(rule.origin.object.kind)) return [ignoredRule(rule)];
  if (rule.source === "")
    return [
      warn(rule, "source", "", {
        code: "DroppedPair",
        message: "HyperShift skips a rule with an empty source",
        remedy: "Write the source, or remove the rule.",
      }),
    ];
  const skipped = rule.mirrors.flatMap((mirror, index) =>
    mirror === ""
      ? [
          warn(rule, `mirrors[${index}]`, "", {
            code: "DroppedPair",
            message: "HyperShift skips an empty mirror",
            remedy: "Write the mirror, or remove it.",
          }),
        ]
      : unreadable(rule, `mirrors[${index}]`, "mirror", mirror),
  );
  const dropped = [...unreadable(rule, "source", "source", rule.source), ...skipped, ...unusablePairs(rule)];
  if (rule.policy !== neverContactSource) return dropped;
  const policy = warn(rule, "mirrorSourcePolicy", rule.policy, {
    code: "IgnoredPolicy",
    message: "HyperShift does not read mirrorSourcePolicy, and may contact the source",
    remedy: "Block the source in the network if it must never be contacted.",
  });
  return [...dropped, policy];
}

/**
 * Returns the overrides that HyperShift derives from mirror objects, with warnings about rules without effect.
 * Behaviour: GetAllImageRegistryMirrors in support/globalconfig/imagecontentsource.go.
 */
export function overridesLikeHypershift(objects: readonly KubernetesObject[]): HypershiftOverrides {
  const byName = [...objects].sort((a, b) => byCodePoint(a.metadata.name, b.metadata.name));
  const isPolicy = ({ kind }: KubernetesObject) => kind === "ImageContentSourcePolicy";
  const inOrder = [...byName.filter((object) => !isPolicy(object)), ...byName.filter(isPolicy).reverse()];
  const { rules, issues } = readMirrorObjects(inOrder, "operator");

  const overrides = new Map<string, string[]>();
  for (const { source, mirrors, origin } of rules) {
    if (source === "" || !digestKinds.includes(origin.object.kind)) continue;
    const written = mirrors.filter((mirror) => mirror !== "");
    if (written.length > 0) overrides.set(source, [...(overrides.get(source) ?? []), ...written]);
  }
  const sorted = [...overrides].sort(([a], [b]) => byCodePoint(a, b));
  return {
    overrides: new Map(sorted),
    issues: [
      ...asWarnings(issues).map((issue) => ({ issue })),
      ...rules.flatMap((rule) => silentlyDropped(rule).map((issue) => ({ issue, source: rule.source }))),
    ],
  };
}
