type NotRun = Readonly<{
  /** A part of the name of the page; every page without it. */
  page?: string;
  command: RegExp;
  why: string;
}>;

/** Returns whether the cluster tier runs the command, on a real API server: `test/cluster/nightly/console-blocks.test.ts`. */
export function isForCluster(page: string, command: string): boolean {
  if (/^docs\/(deploy-|runbook)/.test(page)) return false;
  if (/^(oc|kubectl) (annotate|apply|create) /.test(command)) return true;
  return page.startsWith("docs/how-to/") && /^hubrelay (doctor|verify)/.test(command);
}

/** Commands of the documentation that no test runs as they are, each with the reason; the first that matches counts. */
const notRun: readonly NotRun[] = [
  { page: "docs/deploy-aws.md", command: /./, why: "needs an AWS account" },
  { page: "docs/how-to/several-hubs.md", command: /./, why: "needs an AWS account" },
  { page: "docs/console.md", command: /./, why: "runs until Ctrl-C; test/console has a browser" },
  {
    page: "docs/deploy-kubernetes.md",
    command: /./,
    why: "needs a registry and a kubelet; test/cluster/deploy.test.ts applies the overlays",
  },
  {
    page: "docs/how-to/verify-a-release.md",
    command: /./,
    why: "needs the files of a release; test/release/release.test.ts runs it on those of a dry run",
  },
  {
    page: "docs/how-to/rotate-credentials.md",
    command: /./,
    why: "needs a deployment; test/cluster/nightly/deploy-aws.test.ts has a hub and a store",
  },
  {
    page: "docs/how-to/restore-a-hub.md",
    command: /./,
    why: "needs etcd's backup and agents; test/stories/hub-restored.test.ts restores a hub in memory",
  },
  {
    page: "docs/tutorials/why-has-a-cluster-no-images.md",
    command: /./,
    why: "is about a fleet that has ended; test/system/dev-simulate.test.ts runs it on 200 simulated clusters",
  },
  { page: "docs/runbook.md", command: /./, why: "is about a deployment that has raised an alarm" },
  {
    page: "docs/install.md",
    command: /./,
    why: "changes what is installed; the tiers pack and container install it in folders of their own",
  },
  {
    command: /^npm ci( && npm (start|test))?( +#.*)?$/,
    why: "bench/claims/first-minutes runs it from a fresh clone",
  },
  {
    page: "docs/how-to/check-a-ztp-repository.md",
    command: / --enable-alpha-plugins/,
    why: "needs kustomize and its plugin",
  },
  {
    page: "docs/how-to/check-pull-requests.md",
    command: /^hubrelay validate -f policies /,
    why: "has a repository of the reader; test/system/rendered-folders.test.ts has one with overlays",
  },
  { command: /^npm run mutation/, why: "takes hours" },
  { command: /^alias /, why: "the tests have hubrelay on the PATH" },
  {
    command: /^(QUEUE_URL=|npm run subscriber)/,
    why: "examples/subscriber/subscriber.test.ts runs it on a queue",
  },
  {
    command: /^(hubrelay dev|npm start)( --hub \S+)?( --from \S+)?$/,
    why: "runs until Ctrl-C; test/system/dev-screen.test.ts",
  },
  {
    command: /^hubrelay precache (status --watch|retry|check)/,
    why: "needs `hubrelay dev` beside it; test/system/precache-{status,check}.test.ts",
  },
  { command: /^hubrelay dev --simulate/, why: "test/system/dev-simulate.test.ts runs a smaller fleet" },
  { command: /--sizes/, why: "needs a registry; test/system/precache-sizes.test.ts has one" },
  { command: /^(hubrelay ready|oc mirror) /, why: "needs registries; test/system/ready.test.ts has them" },
  {
    command: /^hubrelay import /,
    why: "needs a hub, and what oc-mirror wrote; test/system/import.test.ts has both",
  },
  { command: /^hubrelay dlq /, why: "needs queues; test/system/dlq.test.ts has them" },
  { command: /^oc login/, why: "needs an OpenShift cluster" },
  { command: /^oc adm release/, why: "needs quay.io" },
  { command: /^(kubectl|aws)\b/, why: "needs a deployment, in a cluster or on AWS" },
  { command: /^(buildah|skopeo) /, why: "needs a registry to push to; npm run test:images builds the image" },
];

/** Returns why no test runs a command of a page as it is, or undefined when one does. */
export function whyNotRun(page: string, command: string): string | undefined {
  return notRun.find((one) => page.includes(one.page ?? "") && one.command.test(command))?.why;
}
