import { imageProblem } from "../../domain/images/image-name.ts";
import { tryParseImageReference } from "../../domain/images/image-reference.ts";
import { parseRelease } from "../../domain/openshift/releases/release.ts";
import { noWorkloadImage } from "../../domain/precache-model/workload-image.ts";
import type { PlanningSettings } from "../../domain/precache-plan/plan-input.ts";
import type { Log } from "../../ports/log.ts";
import { type Environment, EnvironmentError } from "./environment.ts";

/** Reads the settings for pre-cache plans. Throws `EnvironmentError`. */
export function planningSettings(environment: Environment): PlanningSettings {
  const profile = environment.HUBRELAY_PRECACHE_PROFILE || "standard";
  if (profile !== "standard" && profile !== "hardened")
    throw new EnvironmentError(
      "HUBRELAY_PRECACHE_PROFILE is not a profile; it should be standard or hardened.",
    );
  const hubVersion = environment.HUBRELAY_HUB_VERSION || undefined;
  if (hubVersion !== undefined && !parseRelease(hubVersion))
    throw new EnvironmentError("HUBRELAY_HUB_VERSION is not a version; it should be like 4.20 or 4.20.3.");
  const workloadImage = environment.HUBRELAY_WORKLOAD_IMAGE ?? "";
  if (workloadImage !== "" && imageProblem(workloadImage))
    throw new EnvironmentError(
      "HUBRELAY_WORKLOAD_IMAGE is not an image reference; it should be like registry.example.com/hubrelay/precache-workload@sha256:DIGEST.",
    );
  const indexRepositories = (environment.HUBRELAY_INDEX_REPOSITORIES ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const wrong = indexRepositories.find((one) => tryParseImageReference(one)?.repository !== one);
  if (wrong !== undefined)
    throw new EnvironmentError(
      "HUBRELAY_INDEX_REPOSITORIES is not a list of repositories, separated by commas; it should be like registry.redhat.io/redhat/redhat-operator-index, without tags and digests.",
    );
  return { profile, hubVersion, indexRepositories, workloadImage };
}

/**
 * Returns the settings of functions that start Jobs on managed clusters. Without a workload image, these functions are
 * off. The image has no default, because it runs privileged there. In the profile `hardened` it must have a digest,
 * because a tag can be moved to another image. Throws `EnvironmentError`.
 */
export function startingSettings(environment: Environment): PlanningSettings {
  const settings = planningSettings(environment);
  const { profile, workloadImage } = settings;
  if (workloadImage === "") return { ...settings, isOff: true };
  if (profile === "hardened" && tryParseImageReference(workloadImage)?.digest === undefined)
    throw new EnvironmentError(
      "HUBRELAY_WORKLOAD_IMAGE has no digest, which HUBRELAY_PRECACHE_PROFILE=hardened requires. Fix: set the variable to REGISTRY/REPOSITORY@sha256:DIGEST (docs/how-to/build-the-workload-image.md).",
    );
  return settings;
}

/** Returns `startingSettings`. If the functions are off, also logs their names and the reason. */
export function loggedStartingSettings(
  environment: Environment,
  functions: readonly string[],
  log: Log,
): PlanningSettings {
  const settings = startingSettings(environment);
  if (settings.isOff) log({ event: "functions-off", functions, reason: noWorkloadImage });
  return settings;
}
