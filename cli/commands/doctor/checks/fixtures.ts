import type { ServiceAccount } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { accessText } from "#shared/domain/kubernetes/access.ts";
import { type Kind, type KubernetesObject, kinds, namespacedKind } from "#shared/domain/kubernetes/object.ts";
import { parseRbacManifest } from "#shared/domain/kubernetes/roles.ts";
import { neededAccess } from "./access-rows.ts";
import { hubRows, type InspectedHub, inOrder } from "./hub-rows.ts";
import { neededKinds } from "./kind-rows.ts";

export const now = new Date("2026-03-01T02:00:00Z");
/** Returns the time this many seconds before `now`, or after it if negative. */
export const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);

/** The differences of a hub from one without problems. */
export type Given = Readonly<{
  version?: string;
  serverTime?: Date | undefined;
  loginEnd?: Date;
  /** The objects by kind. */
  objects?: Readonly<Record<string, KubernetesObject>>;
  lacks?: readonly Kind[];
  refused?: readonly string[];
  asAccounts?: boolean;
}>;

const role = (name: string, resources: readonly string[]) => [
  { kind: "ServiceAccount", metadata: { name, namespace: "hubrelay" } },
  { kind: "ClusterRole", metadata: { name }, rules: [{ apiGroups: ["g"], resources, verbs: ["get"] }] },
  {
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "hubrelay" }],
  },
];
/** The ServiceAccounts, roles and bindings of two accounts. */
export const roles = [
  ...role("hubrelay-forwarder", ["a", "b", "b"]),
  ...role("hubrelay-hosted-clusters", ["b"]),
].map(parseRbacManifest);

const userWorkloads = namespacedKind("monitoring.coreos.com/v1", "Prometheus");
const allKinds = [
  ...neededKinds.flatMap(({ kinds, besides }) => [...kinds, ...besides]),
  ...[kinds.ClusterVersion, kinds.Image, userWorkloads],
];

/** Runs the checks of a hub. Returns them by name, and the access reviews that were sent. */
export async function checkedHub({ objects = {}, lacks = [], refused = [], ...given }: Given) {
  const reviews: { access: string; account: ServiceAccount | undefined }[] = [];
  const hub: InspectedHub = {
    id: "https://hub.example.com",
    loginEnd: async () => given.loginEnd,
    version: async () => ({
      version: given.version ?? "v1.33.2",
      serverTime: "serverTime" in given ? given.serverTime : now,
    }),
    user: async () => "jo",
    resources: async (apiVersion) => {
      const served = allKinds.filter((kind) => kind.apiVersion === apiVersion && !lacks.includes(kind));
      return served.length > 0 ? new Set(served.map(({ plural }) => plural)) : undefined;
    },
    get: async ({ kind }) => objects[kind],
    grantsIn: async () => [],
    isAllowed: async (access, account) => {
      reviews.push({ access: accessText(access), account });
      return !refused.includes(accessText(access));
    },
    close: () => undefined,
  };
  const lease = { namespace: "hubrelay", name: "hubrelay-forwarder" };
  const options = { lease, accounts: undefined, asAccounts: given.asAccounts ?? false, now: () => now };
  const checks = await inOrder(hubRows(hub, neededAccess(roles), options));
  return { named: Object.fromEntries(checks.map((check) => [check.name, check])), reviews };
}
