import type { Issue } from "../issues/issue.ts";
import { configureMirrors, type MirrorInput } from "./configuration.ts";
import { readRegistrySources } from "./input/read-image.ts";

const codes: readonly string[] = ["PayloadRejected", "OnlyPayloadAllowed"];

/**
 * Returns the issues of images of the release that machine-config-operator's policy.json rejects and hubrelay's does not:
 * on most clusters the operator writes that file.
 */
export function rejectedByOperator(input: MirrorInput): readonly Issue[] {
  const { blocked = [] } = readRegistrySources(input.image).sources;
  if (blocked.length === 0) return [];
  return configureMirrors(input, { compat: "mco" }).issues.filter(({ code }) => codes.includes(code));
}
