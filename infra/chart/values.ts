import * as z from "zod";

/** The quantities of a container, as Kubernetes has them. */
const quantities = z.record(z.string(), z.union([z.string(), z.number()]));

/** Returns the schema of the chart's values; `functions` are the names of all functions. */
export const chartValues = (functions: readonly string[]) =>
  z.strictObject({
    hubId: z
      .string()
      .default("")
      .describe(
        "The source of events and outcomes: your hub's API URL, or any name that is unique among your hubs. Required",
      ),
    engine: z
      .enum(["run", "queues", "forwarder"])
      .default("run")
      .describe(
        "`run`: everything in one Deployment, queues in memory. `queues`: a Deployment for each function, queues on a server. `forwarder`: only the forwarder, for functions on Lambda",
      ),
    functions: z
      .array(z.enum(functions))
      .default([...functions])
      .describe("The functions that are installed, with their accounts and roles"),
    image: z
      .strictObject({
        repository: z
          .string()
          .default("registry.example.com/hubrelay/hubrelay")
          .describe("hubrelay's image in your registry"),
        tag: z.string().default("").describe("Its tag; by default the chart's version"),
        digest: z.string().default("").describe("Its digest (`sha256:…`), instead of a tag"),
        pullSecrets: z
          .array(z.string())
          .default([])
          .describe("Names of Secrets with logins of that registry"),
      })
      .prefault({}),
    settings: z
      .record(z.string(), z.string())
      .default({})
      .describe(
        "Settings of docs/reference/environment.md, such as `HUBRELAY_WORKLOAD_IMAGE`; they replace the chart's",
      ),
    queues: z
      .strictObject({
        prefix: z
          .string()
          .default("")
          .describe(
            "With `queues` and `forwarder`: what the URL of each queue has before hubrelay's name for it",
          ),
        region: z.string().default("").describe("`AWS_REGION` of the queues"),
        keysSecret: z
          .string()
          .default("")
          .describe("The Secret with `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`; empty with IAM roles"),
      })
      .prefault({}),
    accounts: z
      .strictObject({
        annotations: z
          .record(z.string(), z.record(z.string(), z.string()))
          .default({})
          .describe("Annotations of ServiceAccounts by their names, such as IAM roles"),
      })
      .prefault({}),
    ownHostedClusters: z
      .boolean()
      .default(false)
      .describe(
        "Let hubrelay write for hosted clusters that HyperShift's operators do not manage (own mode)",
      ),
    rotateCredentials: z
      .boolean()
      .default(false)
      .describe(
        "With functions on Lambda: a CronJob that replaces their tokens in the store, as docs/how-to/rotate-credentials.md describes",
      ),
    crds: z
      .boolean()
      .default(true)
      .describe("Install hubrelay's own kinds. They stay when the release is removed"),
    console: z
      .strictObject({
        enabled: z.boolean().default(false).describe("Pages for browsers, behind OpenShift's OAuth proxy"),
      })
      .prefault({}),
    alerts: z
      .strictObject({
        enabled: z.boolean().default(false).describe("Metrics and alerts; needs Prometheus' operator"),
      })
      .prefault({}),
    dashboards: z
      .strictObject({
        grafana: z
          .boolean()
          .default(false)
          .describe(
            "The dashboard as a ConfigMap with the label `grafana_dashboard`, which Grafana's sidecar reads",
          ),
        openshift: z
          .boolean()
          .default(false)
          .describe("The dashboard for OpenShift's console, in the namespace `openshift-config-managed`"),
      })
      .prefault({}),
    keda: z
      .strictObject({
        enabled: z.boolean().default(false).describe("With `queues`: KEDA scales the functions"),
        trigger: z
          .enum(["prometheus", "sqs"])
          .default("prometheus")
          .describe(
            "Who reports the queues' lengths: Prometheus, which needs `alerts`, or the queues' server",
          ),
      })
      .prefault({}),
    flowControl: z
      .boolean()
      .default(false)
      .describe("A FlowSchema and a priority level of the API server for hubrelay's accounts"),
    priorityClassName: z
      .string()
      .default("")
      .describe("The priority of the pods, such as `openshift-user-critical`"),
    trustedCA: z
      .boolean()
      .default(false)
      .describe("Trust the authorities that OpenShift trusts, its proxy's included"),
    proxy: z
      .strictObject({
        url: z.string().default("").describe("`HTTPS_PROXY`"),
        noProxy: z
          .string()
          .default(".svc,.cluster.local,172.30.0.0/16,localhost,127.0.0.1")
          .describe("`NO_PROXY`, where `url` is set"),
        port: z.int().min(0).max(65_535).default(0).describe("The proxy's port, which a NetworkPolicy opens"),
      })
      .prefault({}),
    registries: z
      .strictObject({
        ports: z
          .array(z.int().min(1).max(65_535))
          .default([])
          .describe("Other ports than 443 and 6443 of registries and servers, which a NetworkPolicy opens"),
      })
      .prefault({}),
    resources: z
      .record(z.string(), z.strictObject({ requests: quantities.optional(), limits: quantities.optional() }))
      .default({})
      .describe(
        "Requests and limits by the name of a Deployment or CronJob, such as `hubrelay-run`; what is missing stays",
      ),
  });
