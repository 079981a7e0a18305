import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { type ClusterReleases, clusterReleases } from "./cluster-releases.ts";
import { releaseText } from "./release.ts";

function clusterVersion(status: unknown): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "ClusterVersion",
    metadata: { name: "version" },
    status,
  };
}

const completed = (version: string) => ({ state: "Completed", version });
const partial = (version: string) => ({ state: "Partial", version });

function clusterReleasesText({ current, begun, isAssumed }: ClusterReleases): string {
  if (isAssumed) return `${releaseText(current)} (assumed)`;
  return [releaseText(current), begun.map(releaseText).join(", ")].filter(Boolean).join(", updating to ");
}

test.for([
  { of: "completed its update", history: [completed("4.18.3"), completed("4.17.9")], text: "4.18" },
  {
    of: "desires a release that it has not begun to install",
    desired: { version: "4.20.1" },
    history: [completed("4.18.3")],
    text: "4.18",
  },
  {
    of: "updates",
    desired: { version: "4.19.1" },
    history: [partial("4.19.1"), completed("4.18.3"), completed("4.17.9")],
    text: "4.18, updating to 4.19",
  },
  {
    of: "was sent to another release during an update",
    history: [partial("4.20.0"), partial("4.19.2"), partial("4.19.1"), completed("4.18.3")],
    text: "4.18, updating to 4.20, 4.19",
  },
  { of: "updates within a release", history: [partial("4.18.4"), completed("4.18.3")], text: "4.18" },
  { of: "is being installed", history: [partial("4.20.1")], text: "4.20" },
  { of: "runs a build of a pull request", history: [completed("5.0.0-0.ci-2026-11-01")], text: "5.0" },
  { of: "has no history", desired: { version: "4.18.1" }, history: [], text: "5.1 (assumed)" },
  { of: "has another type of history", history: "4.18.1", text: "5.1 (assumed)" },
  { of: "has entries of another type", history: [null, 4.18, completed("4.19.0")], text: "4.19" },
  { of: "has versions that are none", history: [partial(""), completed("latest")], text: "5.1 (assumed)" },
])("When a cluster $of, its releases should be $text", ({ history, desired, text }) => {
  expect(clusterReleasesText(clusterReleases(clusterVersion({ history, desired })))).toBe(text);
});

test.for([{ status: undefined }, { status: null }])(
  "When the status is $status, the newest release should be assumed",
  ({ status }) => {
    expect(clusterReleases(clusterVersion(status)).isAssumed).toBe(true);
  },
);

test("When a version is given, it should take precedence over the ClusterVersion", () => {
  const updating = clusterVersion({ history: [partial("4.20.0"), completed("4.19.2")] });
  expect(clusterReleasesText(clusterReleases(updating, "4.18.4"))).toBe("4.18");
  expect(clusterReleases(undefined).isAssumed).toBe(true);
});
