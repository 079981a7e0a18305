import { readFile } from "node:fs/promises";
import { Environment } from "@marcbachmann/cel-js";
import { parseAllDocuments } from "yaml";
import * as z from "zod";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { packageFile } from "../../../cli/program/package-files.ts";

const named = z.array(z.object({ name: z.string(), expression: z.string() }));
const policySchema = z.object({
  spec: z.object({
    matchConditions: named.default([]),
    variables: named.default([]),
    validations: z.array(z.object({ expression: z.string(), message: z.string() })),
  }),
});
const documentSchema = z.object({ kind: z.string(), metadata: z.object({ name: z.string() }) });

/** A request to the API server: without `before` it creates the object, without `after` it deletes it. */
type Request = Readonly<{
  account: string;
  before?: KubernetesObject;
  after?: KubernetesObject;
  /** The ConfigMap that the policy's binding names. */
  params?: Readonly<{ data?: Readonly<Record<string, string>> }>;
}>;

/** A policy of `infra/hub-rbac`, evaluated as an API server does. */
export type AdmissionPolicy = Readonly<{
  /** The message of the first validation that refuses the request, or of its error; "admitted" without one. */
  responseTo(request: Request): string;
}>;

/** Returns a copy in which whole numbers are CEL's `int`. */
function celValue(value: unknown): unknown {
  if (Number.isInteger(value)) return BigInt(Number(value));
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, celValue(one)]));
}

/** Reads the ValidatingAdmissionPolicy with this name from a file of `infra/hub-rbac`. */
export async function admissionPolicy(file: string, name: string): Promise<AdmissionPolicy> {
  const text = await readFile(packageFile(`infra/hub-rbac/${file}`), "utf8");
  const found = parseAllDocuments(text)
    .map((document): unknown => document.toJS())
    .find((one) => {
      const { kind, metadata } = documentSchema.parse(one);
      return kind === "ValidatingAdmissionPolicy" && metadata.name === name;
    });
  const { spec } = policySchema.parse(found);
  const environment = new Environment({
    enableOptionalTypes: true,
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
  });
  const compile = (expression: string) => environment.parse(expression);
  const conditions = spec.matchConditions.map(({ expression }) => compile(expression));
  const definitions = spec.variables.map((one) => ({ ...one, program: compile(one.expression) }));
  const validations = spec.validations.map((one) => ({ ...one, program: compile(one.expression) }));

  function contextOf({ account, before, after, params }: Request) {
    const variables: Record<string, unknown> = {};
    const context = {
      object: celValue(after ?? null),
      oldObject: celValue(before ?? null),
      params: celValue(params ?? null),
      request: { userInfo: { username: `system:serviceaccount:hubrelay:${account}` } },
      variables,
    };
    // An API server evaluates a variable where it is used.
    for (const { name: key, program } of definitions)
      Object.defineProperty(variables, key, { enumerable: true, get: () => program(context) });
    return context;
  }
  return {
    responseTo: (request) => {
      const context = contextOf(request);
      if (!conditions.every((condition) => condition(context) === true)) return "admitted";
      for (const { message, program } of validations) {
        try {
          if (program(context) !== true) return message;
        } catch (error) {
          return `an error instead of "${message}": ${String(error)}`;
        }
      }
      return "admitted";
    },
  };
}
