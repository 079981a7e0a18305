import { describe, expect, test } from "vitest";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import type { Readiness } from "#shared/domain/ready/record/verdict.ts";
import { aStoredUpgrade } from "../../test/support/precache/precache-snapshots.ts";
import { requiredReadiness, withReadinessCondition } from "./readiness.ts";

const now = new Date("2026-03-01T02:00:00Z");
const valid = { type: "PrecacheSpecValid", status: "True" };
const progress = { type: "PrecachingSuceeded", status: "False", reason: "InProgress" };
const notReady: Readiness = { ready: "False", reason: "ImagesNotReady", message: "1 of 2" };
const ready: Readiness = { ready: "True", reason: "ImagesReady", message: "All 2" };

describe("the condition about ready images", () => {
  const typesOf = (conditions: readonly Readonly<Record<string, unknown>>[]) =>
    conditions.map(({ type }) => type);

  test("When clusters wait for images, it should be the last one, which oc get cgu shows", () => {
    const written = withReadinessCondition([valid, progress], notReady, now);
    expect(typesOf(written)).toEqual(["PrecacheSpecValid", "PrecachingSuceeded", "PrecacheImagesReady"]);
    expect(written.at(-1)).toMatchObject({ status: "False", reason: "ImagesNotReady", message: "1 of 2" });
    expect(withReadinessCondition(written, notReady, now)).toBe(written);
  });

  test("When images are ready, the progress of pre-caching should be the last one again", () => {
    const waiting = withReadinessCondition([valid, progress], notReady, now);
    const written = withReadinessCondition(waiting, ready, now);
    expect(typesOf(written)).toEqual(["PrecacheSpecValid", "PrecacheImagesReady", "PrecachingSuceeded"]);
    expect(withReadinessCondition(written, ready, now)).toBe(written);
    expect(typesOf(withReadinessCondition([valid], ready, now))).toEqual([
      "PrecacheSpecValid",
      "PrecacheImagesReady",
    ]);
  });

  test("When ready images are not required, there should be none", () => {
    const written = withReadinessCondition([valid, progress], ready, now);
    expect(withReadinessCondition(written, undefined, now)).toEqual([valid, progress]);
    const conditions = [valid, progress];
    expect(withReadinessCondition(conditions, undefined, now)).toBe(conditions);
  });
});

describe("whether images are ready", () => {
  const required = { "hubrelay.dev/require-ready": "true" };
  const cgu = aStoredUpgrade(["sno1"], { annotations: required });
  const upgrade = plannedUpgrade(cgu);
  if (!upgrade) throw new Error("the upgrade is not planned");
  const { apiVersion, kind } = kinds.ReadinessReport;
  const report = (fields: object): KubernetesObject => ({
    apiVersion,
    kind,
    metadata: { namespace: "default", name: "upgrade" },
    ready: "True",
    reason: "ImagesReady",
    message: "All 2",
    ...fields,
  });

  test.for<[string, KubernetesObject | undefined, string]>([
    ["there is no report yet", undefined, "Unknown"],
    ["the report is about earlier content", report({ revision: "0000000000" }), "Unknown"],
    ["the report is about this content", report({ revision: upgrade.revision }), "True"],
    ["the report cannot be read", report({ revision: upgrade.revision, ready: 1 }), "Unknown"],
  ])("When %s, it should be %s", ([, readinessReport, expected]) => {
    expect(requiredReadiness(cgu, upgrade, { configs: [], readinessReport })?.ready).toBe(expected);
  });

  test("When neither upgrade nor PreCachingConfig requires it, no report should matter", () => {
    const readinessReport = report({ revision: upgrade.revision, ready: "False" });
    expect(
      requiredReadiness(aStoredUpgrade(["sno1"]), upgrade, { configs: [], readinessReport }),
    ).toBeUndefined();
  });
});
