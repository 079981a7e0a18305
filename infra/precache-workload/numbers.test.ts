import { expect, test } from "vitest";
import { runWithoutNode } from "../../test/support/precache/workload-without-node.ts";
import { finished } from "../run-program.ts";

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const additionalImages = `quay.io/app@${digest("a")}\n`;

test.for([
  ["08", 8],
  ["0000000000000000000009", 9],
  ["", 0],
  [" 035 \n", 35],
] as const)("When spaceRequired is $0, the run should require $1 GiB", async ([spaceRequired, gib]) => {
  const { code, log } = await runWithoutNode({ content: { additionalImages, spaceRequired } });
  expect(code, log).toBe(0);
  expect(log).toContain(`, ${gib} GiB are required;`);
});

test.for(["9999999999", "0000954"])(
  "When spaceRequired is %s, more than the disk has, the run should end with NoSpace",
  async (spaceRequired) => {
    const { code, termination, log } = await runWithoutNode({ content: { additionalImages, spaceRequired } });
    expect([code, termination.reason], log).toEqual([11, "NoSpace"]);
  },
);

test.for(["1e3", "-5", "0x10", "1.5", "10#8", "99999999999", "18446744073709551617", "a[$(id)]"])(
  "When spaceRequired is %s, the run should end with the reason",
  async (spaceRequired) => {
    const { code, termination, log } = await runWithoutNode({ content: { additionalImages, spaceRequired } });
    expect([code, termination.reason], log).toEqual([10, "InvalidConfiguration"]);
    expect(termination.detail).toBe(
      `spaceRequired: "${spaceRequired}" is not a whole number of GiB below 10000000000`,
    );
  },
);

test("When settings have leading zeros, they should be decimal numbers", async () => {
  const env = {
    PULL_BANDWIDTH_MBITS: "08",
    PULL_PARALLEL: "09",
    PULL_FIRST_PAUSE: "00",
    PULL_STALL_SECONDS: "09",
  };
  const { code, log } = await runWithoutNode({ content: { additionalImages }, env });
  expect(code, log).toBe(0);
  expect(log).not.toContain("value too great for base");
});

test.for(["PULL_PARALLEL", "PULL_BANDWIDTH_MBITS", "PULL_ATTEMPTS", "PROGRESS_PAUSE", "GREP_KIB"])(
  "When %s is not a number, the run should end with the reason",
  async (setting) => {
    const env = { [setting]: "a[$(touch ran)]" };
    const { code, termination, log } = await runWithoutNode({ content: { additionalImages }, env });
    expect([code, termination], log).toEqual([
      10,
      {
        reason: "InvalidConfiguration",
        image: "",
        detail: `${setting}: "a[$(touch ran)]" is not a whole number below 10000000000`,
      },
    ]);
  },
);

const listLayers = `
set -uo pipefail
source "$FOLDER/settings.sh"; source "$FOLDER/node.sh"; source "$FOLDER/sizes.sh"
manifest() { printf '%s' "$MANIFEST"; }
layers_of quay.io/app
`;

test("When a registry claims sizes and digests that no layer has, they should not be counted", async () => {
  const sizes = [1e308, 2 ** 70, -1e18, "9", "a[$(id)]", null, 1.5, 17];
  const layers = sizes.map((size) => ({ digest: digest("b"), size }));
  const odd = [{ digest: "a b", size: 1 }, { digest: `${digest("c")}\nx`, size: 1 }, { size: 1 }, "x", null];
  const env = {
    ...process.env,
    FOLDER: import.meta.dirname,
    HOST_FOLDER: "/",
    MANIFEST: JSON.stringify({ layers: [...layers, ...odd] }),
  };
  const { code, stdout, stderr } = await finished("bash", ["-c", listLayers], { cwd: "/", env });
  expect(code, stderr).toBe(0);
  expect(stdout).toBe(`${digest("b")} 1\n${digest("b")} 17\n`);
});

test("When a registry claims a text as the digest for an architecture, skopeo should not read it", async () => {
  const manifests = ["amd64", "arm64"].map((architecture) => ({
    platform: { architecture },
    digest: "sha256:1 --authfile=/etc/shadow",
  }));
  const { code, calls, log } = await runWithoutNode({
    content: { additionalImages },
    files: { manifest: JSON.stringify({ manifests }) },
  });
  expect(code, log).toBe(0);
  expect(calls.filter(([program]) => program === "skopeo")).toHaveLength(1);
});
