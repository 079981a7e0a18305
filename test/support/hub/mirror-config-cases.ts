import type { Snapshot } from "#functions/mirror-config/observe.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { outcomesOf } from "../messages/outcomes-of.ts";
import { foreignMachineConfig, release } from "./mirror-config-hub.ts";
import { aDigestMirrorSet, anImageConfig, aPool, aTagMirrorSet, aVerifiedPool } from "./objects.ts";

/** A title, a hub, and what mirror-config decides, writes and reports about it, a line each. */
export type Case = readonly [title: string, hub: Snapshot, report: readonly string[]];

const short = (name: string) => name.replace(/^99-(.+)-generated-registries$/, "$1");

/** What a plan decides, writes and reports, a line each; MachineConfigs by the names of their pools. */
export const reportOf = (plan: Plan): readonly string[] => [
  ...plan.decisions.map(({ subject, verdict, owner }) =>
    [short(subject), verdict, ...(owner ? [`by ${owner}`] : [])].join(" "),
  ),
  ...plan.actions.map(({ verb, object, reason }) => {
    const { name, namespace } = object.metadata;
    if (object.kind === "Event") return `${verb} Event ${object.reason}`;
    if (object.kind === "MachineConfig") return `${verb} ${short(name)}: ${reason}`;
    return `${verb} ${namespace ? `${namespace}/` : ""}${name}: ${reason.replace(/^\S+ /, "")}`;
  }),
  ...outcomesOf(plan).map(
    ({ type, subject }) => `outcome ${type.replace("dev.hubrelay.mirror-config.", "")} ${short(subject)}`,
  ),
  ...(plan.requeueAt ? [`requeue ${plan.requeueAt.toISOString()}`] : []),
];

/** Handed over to hubrelay. */
export const worker = [aPool("worker")];
export const verifiedWorker = [aVerifiedPool("worker")];
export const builtIn = { "machineconfiguration.openshift.io/mco-built-in": "" };
export const blocked = anImageConfig({ blockedRegistries: ["quay.io/acme"] });
export const acme = (...mirrors: readonly string[]) =>
  aTagMirrorSet("tags", [{ source: "quay.io/acme", mirrors }]);

/** A rule of quay.io/acme; rules with different policies contradict each other. */
export const contradicting = (mirrorSourcePolicy: string) =>
  aDigestMirrorSet(mirrorSourcePolicy.toLowerCase(), [
    { source: "quay.io/acme", mirrors: ["m.example/acme"], mirrorSourcePolicy },
  ]);

/** The worker's MachineConfig as hubrelay wrote it for these mirror objects, with other metadata since. */
export function ownMachineConfig(metadata: object = {}, mirrorObjects = [release]): KubernetesObject {
  const written = foreignMachineConfig({ "hubrelay.dev/owned-by": "mirror-config" }, mirrorObjects);
  return { ...written, metadata: { ...written.metadata, ...metadata } };
}
