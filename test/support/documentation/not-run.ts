/** A part of the name of the page, or an empty text for every page; and the command, and why no test runs it. */
type NotRun = readonly [page: string, command: RegExp, why: string];

/** Returns whether the cluster tier runs the command, on a real API server: `test/cluster/nightly/console-blocks.test.ts`. */
export function isForCluster(page: string, command: string): boolean {
  if (/^docs\/(deploy-|runbook)/.test(page)) return false;
  if (/^(oc|kubectl) (annotate|apply|create) /.test(command)) return true;
  return page.startsWith("docs/how-to/") && /^hubrelay (doctor|verify)/.test(command);
}

/** Commands of the documentation that no test runs as they are, each with the reason; the first that matches counts. */
const notRun: readonly NotRun[] = [
  ["docs/deploy-aws.md", /./, "needs an AWS account"],
  ["docs/how-to/several-hubs.md", /./, "needs an AWS account"],
  ["docs/console.md", /./, "runs until Ctrl-C; test/console has a browser"],
  [
    "docs/deploy-kubernetes.md",
    /./,
    "needs a registry and a kubelet; test/cluster/deploy.test.ts applies the overlays",
  ],
  [
    "docs/how-to/verify-a-release.md",
    /./,
    "needs the files of a release; test/release/release.test.ts runs it on those of a dry run",
  ],
  [
    "docs/how-to/rotate-credentials.md",
    /./,
    "needs a deployment; test/cluster/nightly/deploy-aws.test.ts has a hub and a store",
  ],
  [
    "docs/how-to/restore-a-hub.md",
    /./,
    "needs etcd's backup and agents; test/stories/hub-restored.test.ts restores a hub in memory",
  ],
  [
    "docs/tutorials/why-has-a-cluster-no-images.md",
    /./,
    "is about a fleet that has ended; test/system/dev-simulate.test.ts runs it on 200 simulated clusters",
  ],
  ["docs/runbook.md", /./, "is about a deployment that has raised an alarm"],
  [
    "docs/install.md",
    /./,
    "changes what is installed; the tiers pack and container install it in folders of their own",
  ],
  ["", /^npm ci( && npm (start|test))?( +#.*)?$/, "bench/claims/first-minutes runs it from a fresh clone"],
  ["docs/how-to/check-a-ztp-repository.md", / --enable-alpha-plugins/, "needs kustomize and its plugin"],
  [
    "docs/how-to/check-pull-requests.md",
    /^hubrelay validate -f policies /,
    "has a repository of the reader; test/system/rendered-folders.test.ts has one with overlays",
  ],
  ["", /^npm run mutation/, "takes hours"],
  ["", /^alias /, "the tests have hubrelay on the PATH"],
  ["", /^(QUEUE_URL=|npm run subscriber)/, "examples/subscriber/subscriber.test.ts runs it on a queue"],
  [
    "",
    /^(hubrelay dev|npm start)( --hub \S+)?( --from \S+)?$/,
    "runs until Ctrl-C; test/system/dev-screen.test.ts",
  ],
  [
    "",
    /^hubrelay precache (status --watch|retry|check)/,
    "needs `hubrelay dev` beside it; test/system/precache-{status,check}.test.ts",
  ],
  ["", /^hubrelay dev --simulate/, "test/system/dev-simulate.test.ts runs a smaller fleet"],
  ["", /--sizes/, "needs a registry; test/system/precache-sizes.test.ts has one"],
  ["", /--check-signatures/, "needs registries; test/system/diff-signatures.test.ts has one"],
  [
    "",
    /^(hubrelay (ready|unneeded)|oc mirror) /,
    "needs registries; test/system/ready.test.ts and unneeded.test.ts have them",
  ],
  ["", /^hubrelay import /, "needs a hub, and what oc-mirror wrote; test/system/import.test.ts has both"],
  ["", /^hubrelay dlq /, "needs queues; test/system/dlq.test.ts has them"],
  ["", /^oc login/, "needs an OpenShift cluster"],
  ["", /^oc adm release/, "needs quay.io"],
  ["", /^(kubectl|aws)\b/, "needs a deployment, in a cluster or on AWS"],
  ["", /^(buildah|skopeo) /, "needs a registry to push to; npm run test:images builds the image"],
];

/** Returns why no test runs a command of a page as it is, or undefined when one does. */
export function whyNotRun(page: string, command: string): string | undefined {
  const [, , why] = notRun.find(([part, one]) => page.includes(part) && one.test(command)) ?? [];
  return why;
}
