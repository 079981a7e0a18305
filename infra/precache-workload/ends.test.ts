import { expect, test } from "vitest";
import { runWithoutNode } from "../../test/support/precache/workload-without-node.ts";

const content = { additionalImages: `quay.io/app@sha256:${"a".repeat(64)}\n` };

/** Replaces a function of a part of the workload. */
const replace = (part: string, name: string, body: string) => `echo '${name}() { ${body}; }' >>${part}.sh`;

test.for([
  {
    what: "reads an unset variable",
    before: replace("space", "check_space", ': "$not_set"'),
    code: 1,
    detail: "exit code 1",
  },
  {
    what: "is killed",
    before: replace("space", "check_space", 'kill -KILL "$BASHPID"'),
    code: 137,
    detail: "it was killed, perhaps because it reached its memory limit (exit code 137)",
  },
  {
    what: "cannot read the free space",
    before: "printf '#!/bin/sh\\nexit 1\\n' >bin/df",
    code: 14,
    detail: "the free space of ",
  },
  {
    what: "cannot create its work folder",
    env: { WORK_FOLDER: "/proc/none" },
    code: 14,
    detail: "the work folder /proc/none cannot be written: mkdir: ",
  },
  {
    what: "cannot write its work folder",
    before: replace("node", "content", "return 1"),
    code: 14,
    detail: "the work folder ",
  },
])("When a step $what, the run should end with a reason", async ({ before = "", env = {}, code, detail }) => {
  const ended = await runWithoutNode({ content, before, env });
  expect([ended.code, ended.termination.reason], ended.log).toEqual([code, "PullFailed"]);
  expect(ended.termination.detail).toContain(detail);
  expect(ended.pulled).toEqual([]);
});

test("When a pull is killed, the run should end with what may have killed it", async () => {
  const before = [
    replace("pull", "podman_pull", 'kill -KILL "$BASHPID"'),
    replace("pull", "tries_of", "echo 1"),
  ].join("\n");
  const { termination, log } = await runWithoutNode({ content, before });
  expect(termination, log).toMatchObject({
    reason: "PullFailed",
    detail: expect.stringContaining(
      "the pull was killed, perhaps because the pod reached its memory limit (exit code 137)",
    ),
  });
});

test.for(["settings", "end", "pull", "steps"])(
  "When the image of the workload has no %s.sh, the run should end with a reason",
  async (part) => {
    const { code, termination, log } = await runWithoutNode({ content, before: `rm ${part}.sh` });
    const detail = `the image of the workload has no usable ${part}.sh`;
    expect([code, termination], log).toEqual([20, { reason: "ToolMissing", image: "", detail }]);
  },
);

test.for(["jq", "podman"])("When the node has no %s, the run should end with a reason", async (tool) => {
  const before = replace("node", "has_tool", `[ "$1" != ${tool} ]`);
  const { code, termination, log } = await runWithoutNode({ content, before });
  const detail = `the node has no ${tool}`;
  expect([code, termination], log).toEqual([20, { reason: "ToolMissing", image: "", detail }]);
});

test.for([
  { receiver: "the run", process: "$$" },
  { receiver: "a step", process: "$BASHPID" },
])("When $receiver is asked to stop, it should end with Interrupted", async ({ process }) => {
  const before = replace("space", "check_space", `kill -TERM "${process}"; sleep 60`);
  const { code, termination, log } = await runWithoutNode({ content, before });
  expect([code, termination.reason], log).toEqual([143, "Interrupted"]);
});

test("When the termination message cannot be written, the log should end with it", async () => {
  const env = { TERMINATION_LOG: "/proc/none/termination" };
  const { code, log } = await runWithoutNode({ content: { spaceRequired: "x" }, env });
  expect(code, log).toBe(10);
  expect(JSON.parse(log.trim().split("\n").at(-1) ?? "")).toMatchObject({ reason: "InvalidConfiguration" });
});

test.for([
  { what: "quotes", name: `a${'"'.repeat(600)}` },
  { what: "backslashes", name: `a${"\\".repeat(600)}` },
  { what: "letters outside of ASCII", name: "é€".repeat(300) },
  { what: "control characters", name: "\u001b\u0007\u007f".repeat(200) },
])("When an image name is hundreds of $what, the termination message should be JSON", async ({ name }) => {
  const { termination, log } = await runWithoutNode({ content: { additionalImages: name } });
  expect(termination.reason, log).toBe("InvalidConfiguration");
  expect(termination.image).toMatch(/^[ -~]{512}$/);
});
