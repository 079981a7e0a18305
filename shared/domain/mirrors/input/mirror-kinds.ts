import { kinds } from "../../kubernetes/object.ts";

/** The kinds of the design before ImageDigestMirrorSet and ImageTagMirrorSet; a hub serves them by `infra/crds`. */
export const sourcePolicyKinds = [
  kinds.ImageSourceDigestPolicy,
  kinds.ImageSourceTagPolicy,
  kinds.OperatorImageSourceDigestPolicy,
  kinds.OperatorImageSourceTagPolicy,
] as const;

/** Every kind whose rules name mirrors: functions and commands all read the same. */
export const mirrorRuleKinds = [
  kinds.ImageDigestMirrorSet,
  kinds.ImageTagMirrorSet,
  kinds.ImageContentSourcePolicy,
  ...sourcePolicyKinds,
] as const;
