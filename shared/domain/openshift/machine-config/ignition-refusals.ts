import { fieldsOf, isRecord, listOf, textOf, typeName } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { newestRelease } from "../releases/cluster-releases.ts";
import { type OperatorForm, operatorForm } from "../releases/machine-config-operator.ts";
import { decodeDataUrl } from "./ignition.ts";

/**
 * Why machine-config-operator refuses a MachineConfig, which it reads on its own before it merges those of a pool.
 * test/parity/node-files.test.ts names the rules that are not checked here.
 * Source: pkg/controller/common/helpers.go (IgnParseWrapper, ValidateIgnition) of MCO release-5.1, and
 * config/v3_*\/types of Ignition v2.20.0 and v2.26.0.
 */

type IgnitionRefusal = Readonly<{ path: string; problem: string }>;

type Version = Readonly<{ major: number; minor: number }>;

function tryReadVersion(text: string): Version | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)\.0+$/.exec(text) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

function isRead({ major, minor }: Version, newest: Version | undefined): boolean {
  return major === 2 ? minor <= 2 : major === 3 && newest !== undefined && minor <= newest.minor;
}

const octal = (mode: number): string => `${mode < 0 ? "-" : ""}0${Math.abs(mode).toString(8)}`;

/** How a release's machine-config-operator reads Ignition configurations. */
export type IgnitionForm = Pick<OperatorForm, "ignition" | "keepsSpecialBits">;

function modeProblem(mode: unknown, max: number): string | undefined {
  if (mode === undefined || mode === null) return undefined;
  if (typeof mode === "number" && Number.isInteger(mode) && mode >= 0 && mode <= max) return undefined;
  return sentence`its mode is ${typeof mode === "number" ? octal(mode) : typeName(mode)}, not 0 to ${octal(max)}`;
}

function fileProblem(file: unknown, { major }: Version, maxMode: number): string | undefined {
  const { mode, overwrite, contents } = fieldsOf(file);
  const { source } = fieldsOf(contents);
  const wrongMode = modeProblem(mode, maxMode);
  if (wrongMode !== undefined) return wrongMode;
  if (major === 3 && overwrite === true && typeof source !== "string")
    return "it has overwrite: true without contents.source";
  const decoded = typeof source === "string" && /^data:/i.test(source) ? decodeDataUrl(source) : {};
  return "problem" in decoded ? sentence`its source is not a valid data: URL: ${decoded.problem}` : undefined;
}

/** Returns the reasons why a release's machine-config-operator refuses a MachineConfig; empty if there are none. */
export function ignitionRefusals(
  { spec }: KubernetesObject,
  form: IgnitionForm = operatorForm(newestRelease),
): readonly IgnitionRefusal[] {
  const { config } = fieldsOf(spec);
  // The API server refuses a configuration that is not an object.
  if (!isRecord(config)) return [];
  const { ignition, storage } = config;
  const text = textOf(fieldsOf(ignition).version) ?? "";
  const version = tryReadVersion(text);
  if (!version || !isRead(version, tryReadVersion(form.ignition))) {
    const given = text || "a configuration without a version";
    const problem = sentence`the release reads Ignition 2.0.0 to 2.2.0 and 3.0.0 to ${form.ignition}, not ${given}`;
    return [{ path: "spec.config.ignition.version", problem }];
  }
  // In these versions, the special bits of a mode (such as setuid) are removed before the operator checks the mode.
  const isReduced = version.major === 3 && version.minor <= 3 && !form.keepsSpecialBits;
  const paths = new Set<unknown>();
  return listOf(fieldsOf(storage).files).flatMap((file) => {
    const path = textOf(fieldsOf(file).path) ?? "";
    const isRepeated = paths.has(path);
    paths.add(path);
    const problem =
      isRepeated && version.major === 3
        ? "the MachineConfig has its path twice"
        : fileProblem(file, version, isReduced ? 0o7777 : 0o777);
    return problem === undefined ? [] : [{ path, problem }];
  });
}
