import * as z from "zod";

const text = (meaning: string, usual = "") => z.string().default(usual).describe(meaning);
const flag = (meaning: string, usual = false) => z.boolean().default(usual).describe(meaning);
const choice = <const Names extends readonly [string, ...string[]]>(names: Names, meaning: string) =>
  z.enum(names).default(names[0]).describe(meaning);
const texts = () => z.record(z.string(), z.string());
const form = (expression: string) => z.string().regex(new RegExp(`^$|${expression}`));
const named = <Value extends z.ZodType>(names: readonly string[], value: Value) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, value.optional()])));
const port = () => z.int().max(65_535);

const group = (shape: z.ZodRawShape) => z.strictObject(shape).prefault({});

const quantities = z.record(z.string(), z.union([z.string(), z.number()]));

const jsonObject = form("^\\s*[{](.|\\s)*[}]\\s*$");
const digest = "@sha256:[0-9a-f]{64}$";

const checkedSettings = {
  HUBRELAY_HUB: form("^(in-cluster$|kubeconfig:|secretsmanager:)").optional(),
  HUBRELAY_HUB_VERSION: form("^[0-9]+[.][0-9]+").optional(),
  HUBRELAY_LOG_LEVEL: z.enum(["", "debug", "info", "warn", "error"]).optional(),
  HUBRELAY_OUTCOME_SINKS: jsonObject.optional(),
  HUBRELAY_PRECACHE_PROFILE: z.enum(["", "standard", "hardened"]).optional(),
  HUBRELAY_QUEUE_URLS: jsonObject.optional(),
  HUBRELAY_WORKLOAD_IMAGE: form("^[^/\\s]*[.:][^/\\s]*/[^\\s<>{}]+$").optional(),
};

const hardened = {
  if: {
    properties: { HUBRELAY_PRECACHE_PROFILE: { const: "hardened" } },
    required: ["HUBRELAY_PRECACHE_PROFILE"],
  },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
  then: { properties: { HUBRELAY_WORKLOAD_IMAGE: { pattern: `^$|${digest}` } } },
};

/** The names that may occur in the chart's values. */
export type ChartNames = Readonly<{
  functions: readonly string[];
  /** The names of the variables in docs/reference/environment.md, and of the variables with the URLs of queues. */
  settings: readonly string[];
  accounts: readonly string[];
  workloads: readonly string[];
}>;

/** Returns the schema of the chart's values. */
export const chartValues = ({ functions, settings, accounts, workloads }: ChartNames) =>
  z.strictObject({
    hubId: text(
      "The source of events and outcomes: your hub's API URL, or any name that is unique among your hubs. Required",
    ),
    engine: choice(
      ["run", "queues", "forwarder"],
      "`run`: everything in one Deployment, queues in memory. `queues`: a Deployment for each function, queues on a server. `forwarder`: only the forwarder, for functions on Lambda",
    ),
    functions: z
      .array(z.enum(functions))
      .min(1)
      .default([...functions])
      .describe("The functions that are installed, with their accounts and roles"),
    image: group({
      repository: text("hubrelay's image in your registry", "registry.example.com/hubrelay/hubrelay"),
      tag: text("Its tag; by default the chart's version"),
      digest: form("^sha256:[0-9a-f]{64}$").default("").describe("Its digest (`sha256:…`), instead of a tag"),
      pullSecrets: z.array(z.string()).default([]).describe("Names of Secrets with logins of that registry"),
    }),
    settings: named(settings, z.string())
      .extend(checkedSettings)
      .default({})
      .meta({ patternProperties: { "^AWS_": { type: "string" } }, ...hardened })
      .describe(
        "Settings of docs/reference/environment.md, such as `HUBRELAY_WORKLOAD_IMAGE`; they replace the chart's",
      ),
    queues: group({
      prefix: text(
        "With `queues` and `forwarder`: what the URL of each queue has before hubrelay's name for it",
      ),
      region: text("`AWS_REGION` of the queues"),
      keysSecret: text(
        "The Secret with `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`; empty with IAM roles",
      ),
    }),
    accounts: group({
      annotations: named(accounts, texts())
        .default({})
        .describe("Annotations of ServiceAccounts by their names, such as IAM roles"),
    }),
    ownHostedClusters: flag(
      "Let hubrelay write for hosted clusters that HyperShift's operators do not manage (own mode)",
    ),
    crds: flag("Install hubrelay's own kinds. They stay when the release is removed", true),
    console: group({ enabled: flag("Pages for browsers, behind OpenShift's OAuth proxy") }),
    alerts: group({ enabled: flag("Metrics and alerts; needs Prometheus' operator") }),
    dashboards: group({
      grafana: flag(
        "The dashboard as a ConfigMap with the label `grafana_dashboard`, which Grafana's sidecar reads",
      ),
      openshift: flag("The dashboard for OpenShift's console, in the namespace `openshift-config-managed`"),
    }),
    keda: group({
      enabled: flag("With `queues`: KEDA scales the functions"),
      trigger: choice(
        ["prometheus", "sqs"],
        "Who reports the queues' lengths: Prometheus, which needs `alerts`, or the queues' server",
      ),
    }),
    flowControl: flag("A FlowSchema and a priority level of the API server for hubrelay's accounts"),
    priorityClassName: text("The priority of the pods, such as `openshift-user-critical`"),
    trustedCA: flag("Trust the authorities that OpenShift trusts, its proxy's included"),
    proxy: group({
      url: text("`HTTPS_PROXY`"),
      noProxy: text(
        "`NO_PROXY`, where `url` is set",
        ".svc,.cluster.local,172.30.0.0/16,localhost,127.0.0.1",
      ),
      port: port().min(0).default(0).describe("The proxy's port, which a NetworkPolicy opens"),
    }),
    registries: group({
      ports: z
        .array(port().min(1))
        .default([])
        .describe("Other ports than 443 and 6443 of registries and servers, which a NetworkPolicy opens"),
    }),
    resources: named(
      workloads,
      z.strictObject({ requests: quantities.optional(), limits: quantities.optional() }),
    )
      .default({})
      .describe(
        "Requests and limits by the name of a Deployment or CronJob, such as `hubrelay-run`; what is missing stays",
      ),
  });
