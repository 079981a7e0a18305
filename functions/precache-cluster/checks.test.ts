import { describe } from "vitest";
import { workName } from "#shared/domain/precache-model/work-identity.ts";
import {
  active,
  claimed,
  nameOf,
  one,
  recorded,
  running,
  succeeded,
  testSteps,
} from "../../test/support/precache/cluster-snapshots.ts";
import { runOfUpgrade } from "../../test/support/precache/precache-snapshots.ts";

const checkedAt = "2026-03-04T01:00:00Z";
const checkedRecord = { started: checkedAt, attempt: 1, checked: checkedAt };
const { cgu: oneName, revision } = runOfUpgrade(one);
const checkName = workName({ cgu: oneName, revision, check: Date.parse(checkedAt) / 1000 });

describe("the ManifestWork of a check", () => {
  testSteps([
    {
      name: "When a cluster is to be checked, it should create the work of the check, which pulls nothing",
      snapshot: recorded({ ...succeeded, check: { started: checkedAt, attempt: 1 } }),
      steps: ["sno1 check: It is checked; nothing is pulled."],
      written: [`create ManifestWork sno1 ${checkName}`],
    },
    {
      name: "When the result of a check is recorded, it should remove its work",
      snapshot: recorded({ ...succeeded, check: checkedRecord }),
      steps: ["sno1 remove: Its check is over."],
      written: [`delete ManifestWork sno1 ${checkName}`],
    },
    {
      name: "When a cluster waits to be pre-cached again, it should remove the work of its check",
      snapshot: recorded({ attempt: 2, check: checkedRecord }),
      steps: ["sno1 leave: Nothing changes in state NotStarted."],
      written: [`delete ManifestWork sno1 ${checkName}`],
    },
    {
      name: "When a cluster is pre-cached again at once, it should remove the work of its check as well",
      snapshot: recorded({ ...claimed, attempt: 2, check: checkedRecord }),
      steps: ["sno1 create: It has a slot."],
      written: [
        `delete ManifestWork sno1 ${checkName}`,
        `delete ManifestWork sno1 ${nameOf(one, 1)}`,
        `create ManifestWork sno1 ${nameOf(one, 2)}`,
      ],
    },
    {
      name: "When a cluster that was checked pauses later, only its Job should be suspended",
      snapshot: recorded({ ...active, suspend: true, check: checkedRecord }, { works: [running] }),
      steps: ["sno1 suspend: It is to pause; finished layers stay."],
      written: [`update ManifestWork sno1 ${nameOf(one)}`],
    },
  ]);
});
