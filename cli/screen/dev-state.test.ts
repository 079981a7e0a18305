import { expect, test } from "vitest";
import { emptyPlan, type Plan } from "#shared/domain/plan/plan.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import { devState } from "./dev-state.ts";
import { issue } from "./fixtures.ts";

const received = (subject: string, eventId: string): LogEntry => ({
  event: "event-received",
  type: "dev.knative.apiserver.ref.update",
  subject,
  messageId: "1",
  eventId,
});
const handled: LogEntry = { event: "handled", messages: 1, failed: 0 };
const deciding = (verdict: string, ...pools: readonly string[]): Plan => ({
  ...emptyPlan,
  decisions: pools.map((subject) => ({ subject, verdict, reason: "why", differences: ["+ a"] })),
});
function aState() {
  const state = devState(() => new Date("2026-03-01T09:42:00Z"));
  state.opened((subject) => `hub/${subject.split("/").at(-1)}.yaml`);
  return state;
}
const mirror = "mirror-config";

test("When an event changes two pools alike, it should be one change with the file that was edited", () => {
  const state = aState();
  state.log(mirror, received("ImageDigestMirrorSet/team", "1"));
  expect(state.state().activity).toBe("running mirror-config");
  state.planned(mirror, "cluster", deciding("update", "master", "worker"));
  state.planned(mirror, "cluster", deciding("unchanged", "master", "worker"));
  state.log(mirror, handled);
  expect(state.state()).toMatchObject({
    activity: "idle",
    changes: [{ what: "hub/team.yaml", verdict: "master, worker: update", reason: "why", details: ["+ a"] }],
  });
});

test("When a window opens and a file is edited, a change should be put down to both, and the next only to its own", () => {
  const state = aState();
  state.log(mirror, received("MaintenanceWindow/fleet/nights", "2"));
  state.log(mirror, received("ImageDigestMirrorSet/other", "1"));
  state.planned(mirror, "cluster", deciding("update", "worker"));
  state.log(mirror, handled);
  state.log(mirror, received("ImageDigestMirrorSet/team", "3"));
  state.planned(mirror, "cluster", deciding("held", "worker"));
  expect(state.state().changes.map(({ what }) => what)).toEqual(["2 files", "hub/team.yaml"]);
});

test("When a change waits, it should be shown once, and again when time lets it through", () => {
  const state = aState();
  for (const verdict of ["held", "held", "update"]) {
    // The message that was sent again has the same event.
    state.log(mirror, received("ImageDigestMirrorSet/team", "1"));
    state.planned(mirror, "cluster", deciding(verdict, "worker"));
    state.log(mirror, handled);
  }
  expect(state.state().changes.map(({ what, verdict }) => `${what} ${verdict}`)).toEqual([
    "hub/team.yaml worker: held",
    " worker: update",
  ]);
});

test("When an error is gone, it should be shown as fixed", () => {
  const state = aState();
  const placed = { ...issue, file: "hub/team.yaml", line: 9, column: 7 };
  state.planned(mirror, "cluster", { ...emptyPlan, issues: [placed] });
  expect(state.state().problems).toEqual([placed]);
  state.planned(mirror, "cluster", emptyPlan);
  expect(state.state()).toMatchObject({
    problems: [],
    changes: [{ what: "hub/team.yaml", verdict: "fixed", reason: "ImageDigestMirrorSet/team spec" }],
  });
});

test("When two functions report the same error, it should be shown once until both find none", () => {
  const state = aState();
  for (const name of [mirror, "hosted-clusters"])
    state.planned(name, "cluster", { ...emptyPlan, issues: [issue] });
  expect(state.state().problems).toHaveLength(1);
  state.planned(mirror, "cluster", emptyPlan);
  expect(state.state().changes).toEqual([]);
  state.planned("hosted-clusters", "cluster", emptyPlan);
  expect(state.state().changes).toMatchObject([{ verdict: "fixed" }]);
});

test("When a window opens and closes, each should be a change, once", () => {
  const state = aState();
  for (const verdict of ["closed", "open", "open", "closed"])
    state.planned("maintenance-window", "windows", deciding(verdict, "MaintenanceWindow/fleet/nights"));
  expect(state.state().changes).toMatchObject([
    { what: "fleet/nights", verdict: "maintenance window opened" },
    { what: "fleet/nights", verdict: "maintenance window closed" },
  ]);
});
