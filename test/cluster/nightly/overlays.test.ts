import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { controllers } from "#functions/controllers.ts";
import { allWatches } from "#functions/watches.ts";
import { openOutcomes } from "#shared/adapters/open-outcomes.ts";
import { outcomeSinks } from "#shared/adapters/settings/outcome-settings.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { stdoutLog } from "#shared/adapters/telemetry/json-log.ts";
import { measuredByLeader } from "#shared/adapters/telemetry/log-metrics.ts";
import { accessText, allows, groupOf } from "#shared/domain/kubernetes/access.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { grantsOf, parseRbacManifest } from "#shared/domain/kubernetes/roles.ts";
import { hubRbacManifests } from "../../../cli/commands/doctor/checks/access-rows.ts";
import { paths } from "../../../infra/paths.ts";
import { succeeded } from "../../../infra/run-program.ts";
import { commandFile } from "../../support/processes/command-file.ts";
import { overlayWith, renderKustomization, renderOverlay } from "../support/manifests/kustomize.ts";
import {
  environmentOf,
  type PodTemplate,
  podTemplates,
  valuesOf,
} from "../support/manifests/pod-templates.ts";

const selector = z.object({
  matchLabels: z.record(z.string(), z.string()).default({}),
  matchExpressions: z
    .array(z.object({ key: z.string(), operator: z.literal("In"), values: z.array(z.string()) }))
    .default([]),
});
const selecting = z.object({
  spec: z.union([
    z.object({ podSelector: selector }).transform(({ podSelector }) => podSelector),
    z.object({ selector }).transform((spec) => spec.selector),
  ]),
});
const scaler = z.object({
  spec: z.object({
    scaleTargetRef: z.object({ name: z.string(), envSourceContainerName: z.string() }),
    triggers: z.array(
      z.object({
        authenticationRef: z.object({ name: z.string() }),
        metadata: z.record(z.string(), z.string()),
      }),
    ),
  }),
});
const authentication = z.object({
  spec: z.object({ secretTargetRef: z.array(z.object({ name: z.string(), key: z.string() })).default([]) }),
});

/** True when the selector matches pods with these labels. */
function finds({ matchLabels, matchExpressions }: z.infer<typeof selector>, labels: PodTemplate["labels"]) {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ""))
  );
}

describe.for(["sqs-endpoint", "aws-sqs"])("the overlay %s", (overlay) => {
  let objects: readonly KubernetesObject[] = [];
  let templates: readonly PodTemplate[] = [];
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  const own = () => templates.filter(({ name }) => name.startsWith("hubrelay-"));
  const environmentsOf = (command: string) =>
    own()
      .filter(({ spec }) => spec.containers[0]?.args[0] === command)
      .map((template) => environmentOf(template, objects));

  beforeAll(async () => {
    objects = await renderOverlay(overlay);
    templates = podTemplates(objects);
  });

  test("When a process reads its settings, it should find and parse all of them", () => {
    expect(own().length).toBeGreaterThanOrEqual(controllers.length + 2);
    for (const template of own()) {
      const environment = environmentOf(template, objects);
      expect(environment).toMatchObject({ HUBRELAY_HUB: "in-cluster", HUBRELAY_PORT: "8080" });
      stdoutLog(environment);
      const urls = queueUrls(environment);
      for (const name of urls.names) expect(urls.of(name)).toMatch(/^https?:\/\/[^/]+\/\d{12}\/[\w-]+$/);
      const [, , chosen] = template.spec.containers[0]?.args ?? [];
      const served = chosen ? controllers.filter(({ name }) => name === chosen) : allWatches;
      expect(served.length).toBeGreaterThan(0);
      for (const { queue } of served) expect(urls.names).toContain(queue);
    }
    for (const environment of environmentsOf("work")) openOutcomes(environment, () => undefined);
  });

  test("When a process is started, its command and options should exist", async () => {
    for (const { spec } of own()) {
      const args = spec.containers[0]?.args ?? [];
      const command = [commandFile, ...args, "--help"];
      const { stdout } = await succeeded(process.execPath, command, { cwd: paths.root });
      expect(stdout).toContain(`hubrelay ${args[0]}`);
    }
  });

  test("When functions run, each should have one worker of its own, under its own account", () => {
    const processes = own().map(({ spec }) => [spec.containers[0]?.args.join(" "), spec.serviceAccountName]);
    expect(processes.filter(([command]) => command?.startsWith("work ")).toSorted()).toEqual(
      controllers.map(({ name }) => [`work --function ${name}`, `hubrelay-${name}`]).toSorted(),
    );
    // A tick only sends references: it needs no other account.
    for (const [command, account] of processes.filter(([command]) => command?.startsWith("resync")))
      expect(account, command).toBe("hubrelay-resync");
    const accounts = ofKind("ServiceAccount").map(({ metadata }) => metadata.name);
    for (const [command, account] of processes) expect(accounts, command).toContain(account);
  });

  test("When the guard reads the settings of pre-caching, it should find them where the functions do", () => {
    const settings = ofKind("ConfigMap").find(({ metadata }) =>
      metadata.name.startsWith("hubrelay-settings-"),
    );
    const guard = ofKind("ValidatingAdmissionPolicyBinding").find(
      ({ metadata }) => metadata.name === "hubrelay-precache-image",
    );
    const { namespace, name } = settings?.metadata ?? {};
    expect(Object(guard?.spec).paramRef).toMatchObject({ namespace, name });
    expect(settings?.data).toHaveProperty("HUBRELAY_PRECACHE_PROFILE");
    expect(settings?.data).toHaveProperty("HUBRELAY_WORKLOAD_IMAGE");
  });

  test("When forwarders share a Lease, it should be the one that their account may hold", async () => {
    const grants = grantsOf("hubrelay-forwarder", await hubRbacManifests());
    const [namespace = "", name = ""] = environmentsOf("forward")[0]?.HUBRELAY_LEASE?.split("/") ?? [];
    for (const verb of ["get", "update"]) {
      const access = { verb, group: "coordination.k8s.io", resource: "leases", namespace, name };
      expect(grants.some((grant) => allows(grant, access))).toBe(true);
    }
    const pod = { verb: "get", group: "", resource: "pods", namespace, name: "any" };
    expect(grants.some((grant) => allows(grant, pod))).toBe(true);
  });

  test("When something selects pods, it should match some", () => {
    const choosing = objects.filter(({ kind }) =>
      ["PodDisruptionBudget", "NetworkPolicy", "PodMonitor"].includes(kind),
    );
    expect(choosing.length).toBeGreaterThanOrEqual(6);
    for (const object of choosing) {
      const chosen = templates.filter(({ labels }) => finds(selecting.parse(object).spec, labels));
      expect(chosen.length, `${object.kind} ${object.metadata.name}`).toBeGreaterThan(0);
    }
  });

  /** The ScaledObjects among these objects, each with its Deployment and its function. */
  function scaledIn(scaling: readonly KubernetesObject[]) {
    const scaled = scaling.filter(({ kind }) => kind === "ScaledObject").map((one) => scaler.parse(one).spec);
    expect(scaled.map(({ scaleTargetRef: { name } }) => name).toSorted()).toEqual(
      controllers.map(({ name }) => `hubrelay-${name}`).toSorted(),
    );
    return scaled.map(({ scaleTargetRef, triggers: [trigger] }) => {
      const target = templates.find(({ name }) => name === scaleTargetRef.name);
      const controller = controllers.find(({ name }) => `hubrelay-${name}` === scaleTargetRef.name);
      if (!target || !controller || !trigger) throw new Error(`${scaleTargetRef.name} is not there`);
      expect(target.spec.containers[0]?.name).toBe(scaleTargetRef.envSourceContainerName);
      const { name } = trigger.authenticationRef;
      const found = scaling.find(
        ({ kind, metadata }) => kind === "TriggerAuthentication" && metadata.name === name,
      );
      return { target, controller, metadata: trigger.metadata, keys: authentication.parse(found).spec };
    });
  }

  test("When KEDA scales the workers by Prometheus, it should ask for metrics of their own queue that the forwarder reports", () => {
    const reported = environmentsOf("forward").flatMap((environment) => queueUrls(environment).names);
    for (const { controller, metadata } of scaledIn(objects)) {
      const asked = [...(metadata.query ?? "").matchAll(/max\((\w+)\{queue="([^"]+)"\}\)/g)];
      expect(asked.map(([, metric, queue]) => [metric, queue])).toEqual([
        ["hubrelay_queue_waiting_messages", controller.queue],
        ["hubrelay_queue_in_flight_messages", controller.queue],
      ]);
      for (const [, metric = ""] of asked) expect(measuredByLeader).toContain(metric);
      expect(reported).toContain(controller.queue);
      // Unknown is not 0.
      expect(metadata.ignoreNullValues).toBe("false");
    }
  });

  test("When the queues' server scales the workers instead, it should read their own queue, where they read it", async () => {
    const scaling = await renderKustomization(`infra/kubernetes/overlays/${overlay}/keda-sqs`);
    for (const { target, controller, metadata, keys } of scaledIn(scaling)) {
      const environment = environmentOf(target, objects);
      const url = environment[metadata.queueURLFromEnv ?? ""];
      expect(url).toBe(queueUrls(environment).of(controller.queue));
      expect(metadata.awsRegion).toBe(environment.AWS_REGION);
      expect(metadata.awsEndpoint).toBe(environment.AWS_ENDPOINT_URL);
      for (const { name, key } of keys.secretTargetRef)
        expect(valuesOf(objects, "Secret", name)).toHaveProperty(key);
    }
  });
});

describe("the component console", () => {
  const review = z.record(z.string(), z.string());
  const service = z.object({
    metadata: z.object({ annotations: z.record(z.string(), z.string()) }),
    spec: z.object({ ports: z.array(z.object({ name: z.string(), targetPort: z.string() })) }),
  });
  const route = z.object({
    metadata: z.object({ name: z.string() }),
    spec: z.object({ port: z.object({ targetPort: z.string() }), to: z.object({ name: z.string() }) }),
  });
  const policy = z.object({ spec: z.object({ podSelector: selector, ingress: z.array(z.unknown()) }) });
  let objects: readonly KubernetesObject[] = [];
  let pod: PodTemplate;
  const named = (kind: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === "hubrelay-console");
  const proxyArgs = () => pod.spec.containers.find(({ name }) => name === "oauth-proxy")?.args ?? [];
  const valueOfFlag = (flag: string) =>
    proxyArgs()
      .find((arg) => arg.startsWith(`--${flag}=`))
      ?.slice(flag.length + 3);

  beforeAll(async () => {
    objects = await overlayWith("sqs-endpoint", ["console"], renderKustomization);
    const found = podTemplates(objects).find(({ name }) => name === "hubrelay-console");
    if (!found) throw new Error("the component has no pod");
    pod = found;
  });

  test("When the console runs, it should listen where only its proxy is", async () => {
    const [console] = pod.spec.containers;
    expect(console?.args).toEqual(["console"]);
    expect(console?.ports).toBeUndefined();
    const command = [commandFile, "console", "--help"];
    const { stdout } = await succeeded(process.execPath, command, { cwd: paths.root });
    expect(stdout).toContain('(default: "127.0.0.1")');
    expect(stdout).toContain("(default: 8320)");
    expect(valueOfFlag("upstream")).toBe("http://127.0.0.1:8320");
    const environment = environmentOf(pod, objects);
    expect(environment.HUBRELAY_HUB).toBe("in-cluster");
  });

  test("When somebody logs in, the proxy should ask whether they may get ClusterGroupUpgrades everywhere", () => {
    expect(review.parse(JSON.parse(valueOfFlag("openshift-sar") ?? ""))).toEqual({
      verb: "get",
      resourceAPIGroup: groupOf(kinds.ClusterGroupUpgrade),
      resource: kinds.ClusterGroupUpgrade.plural,
    });
    const open = proxyArgs().filter((arg) => /skip-auth|bypass|delegate|htpasswd|email|debug/.test(arg));
    expect(open).toEqual(["--skip-auth-regex=^/healthz$"]);
    expect(valueOfFlag("http-address")).toBe("");
  });

  test("When somebody comes from outside, their way should lead to the proxy and nowhere else", () => {
    const { metadata, spec } = route.parse(named("Route"));
    expect(spec.to.name).toBe("hubrelay-console");
    const { ports } = service.parse(named("Service")).spec;
    expect(ports).toEqual([expect.objectContaining({ name: spec.port.targetPort, targetPort: "proxy" })]);
    const account = named("ServiceAccount");
    expect(pod.spec.serviceAccountName).toBe("hubrelay-console");
    expect(valueOfFlag("openshift-service-account")).toBe("hubrelay-console");
    expect(Object.values(account?.metadata.annotations ?? {}).map((value) => JSON.parse(value))).toEqual([
      expect.objectContaining({ reference: { kind: "Route", name: metadata.name } }),
    ]);
    const admitting = objects
      .filter(({ kind }) => kind === "NetworkPolicy")
      .map((object) => policy.safeParse(object).data?.spec)
      .filter((one) => one !== undefined && finds(one.podSelector, pod.labels));
    expect(admitting.map((one) => one?.ingress)).toEqual([
      [expect.objectContaining({ ports: [{ protocol: "TCP", port: "proxy" }] })],
    ]);
  });
});

test("When only the forwarder is installed, it should be the only process, and find every queue that it sends to", async () => {
  const objects = await renderKustomization("infra/kubernetes/overlays/forwarder");
  const [forwarder, ...others] = podTemplates(objects);
  if (!forwarder) throw new Error("the overlay has no pod");
  expect(others).toEqual([]);
  expect(forwarder.spec.containers[0]?.args).toEqual(["forward"]);
  const environment = environmentOf(forwarder, objects);
  const urls = queueUrls(environment);
  for (const { queue } of allWatches) expect(urls.of(queue)).toContain(`.${environment.AWS_REGION}.`);
  const account = objects.find(
    ({ kind, metadata }) => kind === "ServiceAccount" && metadata.name === forwarder.spec.serviceAccountName,
  );
  expect(account?.metadata.annotations).toHaveProperty(["eks.amazonaws.com/role-arn"]);
});

test("When everything runs in one process, it should have no permission but to act as the accounts of its parts", async () => {
  const objects = await renderKustomization("infra/kubernetes/overlays/one-deployment");
  const [pod, ...others] = podTemplates(objects);
  if (!pod) throw new Error("the overlay has no pod");
  expect(others).toEqual([]);
  expect(pod.spec.containers[0]?.args).toEqual(["run", "--accounts", "hubrelay"]);
  const environment = environmentOf(pod, objects);
  expect(outcomeSinks(environment)).toEqual([]);
  expect(environment.HUBRELAY_OUTCOME_TOPIC_ARN).toBeUndefined();
  const urls = queueUrls(environment);
  for (const { queue } of controllers)
    expect(urls.of(queue)).toBe(`${environment.AWS_ENDPOINT_URL}/000000000000/${queue}`);
  expect(environment.AWS_ENDPOINT_URL).toBe(`http://127.0.0.1:${environment.HUBRELAY_QUEUE_PORT}`);
  const parts = [...controllers.map(({ name }) => name), "forwarder", "resync"];
  expect(grantsIn(objects, "hubrelay-run")).toEqual(
    parts.map((name) => `impersonate core serviceaccounts hubrelay-${name} in hubrelay`).toSorted(),
  );
});

/** What the roles among these objects grant to an account. */
function grantsIn(objects: readonly KubernetesObject[], account: string): readonly string[] {
  const manifests = objects.flatMap((object) => {
    const isRbac = /^(?:Cluster)?Role(?:Binding)?$|^ServiceAccount$/.test(object.kind);
    return isRbac ? [parseRbacManifest(object)] : [];
  });
  return grantsOf(account, manifests).map(accessText).toSorted();
}
