import { readFile } from "node:fs/promises";
import { Environment } from "@marcbachmann/cel-js";
import { parseAllDocuments } from "yaml";
import * as z from "zod";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { packageFile } from "../../../cli/program/package-files.ts";

const named = z.array(z.object({ name: z.string(), expression: z.string() }));
const names = z.array(z.string());
const policySchema = z.object({
  kind: z.literal("ValidatingAdmissionPolicy"),
  spec: z.object({
    paramKind: z.unknown().optional(),
    matchConstraints: z.object({
      resourceRules: z.array(z.object({ resources: names, operations: names })),
    }),
    matchConditions: named.default([]),
    variables: named.default([]),
    validations: z.array(z.object({ expression: z.string(), message: z.string() })),
  }),
});

/** A request to the API server: without `before` it creates the object, without `after` it deletes it. */
type Request = Readonly<{
  account: string;
  before?: KubernetesObject;
  after?: KubernetesObject;
  /** Whether it replaces the status. */
  ofStatus?: true;
  /** The ConfigMap that a policy's binding names; without it, policies that read one are left out. */
  params?: Readonly<{ data?: Readonly<Record<string, string>> }>;
}>;

/** The admission policies of `infra/hub-rbac`, evaluated as an API server does. */
export type AdmissionPolicies = Readonly<{
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

/** What an API server gives to expressions as `request`. */
function requestOf({ account, before, after, ofStatus }: Request) {
  const object = after ?? before;
  const kind = Object.values(kinds).find((one) => object && isKind(one, object));
  return {
    operation: before ? (after ? "UPDATE" : "DELETE") : "CREATE",
    resource: { resource: kind?.plural ?? "" },
    ...(ofStatus ? { subResource: "status" } : {}),
    userInfo: { username: `system:serviceaccount:hubrelay:${account}` },
  };
}

function compiled({ spec }: z.infer<typeof policySchema>): AdmissionPolicies {
  const environment = new Environment({
    enableOptionalTypes: true,
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
  });
  const compile = (expression: string) => environment.parse(expression);
  const conditions = spec.matchConditions.map(({ expression }) => compile(expression));
  const definitions = spec.variables.map((one) => ({ ...one, program: compile(one.expression) }));
  const validations = spec.validations.map((one) => ({ ...one, program: compile(one.expression) }));

  function contextOf({ before, after, params }: Request, request: ReturnType<typeof requestOf>) {
    const variables: Record<string, unknown> = {};
    const context = {
      object: celValue(after ?? null),
      oldObject: celValue(before ?? null),
      params: celValue(params ?? null),
      request,
      variables,
    };
    // An API server evaluates a variable once, where it is used.
    for (const { name: key, program } of definitions)
      Object.defineProperty(variables, key, {
        configurable: true,
        enumerable: true,
        get: () => {
          const value: unknown = program(context);
          Object.defineProperty(variables, key, { value, enumerable: true });
          return value;
        },
      });
    return context;
  }
  return {
    responseTo: (one) => {
      const request = requestOf(one);
      const resource = [request.resource.resource, request.subResource].filter(Boolean).join("/");
      const isConstrained = spec.matchConstraints.resourceRules.some(
        ({ resources, operations }) => resources.includes(resource) && operations.includes(request.operation),
      );
      if (!isConstrained || (spec.paramKind !== undefined && !one.params)) return "admitted";
      const context = contextOf(one, request);
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

/** Reads the admission policies of `infra/hub-rbac`. */
export async function writeGuard(): Promise<AdmissionPolicies> {
  const files = ["write-guard", "write-guard-values", "write-guard-manifest-works"];
  const texts = await Promise.all(
    files.map((file) => readFile(packageFile(`infra/hub-rbac/${file}.yaml`), "utf8")),
  );
  const policies = texts
    .flatMap((text) => parseAllDocuments(text))
    .flatMap((document) => policySchema.safeParse(document.toJS()).data ?? [])
    .map(compiled);
  return {
    responseTo: (request) =>
      policies.map((policy) => policy.responseTo(request)).find((response) => response !== "admitted") ??
      "admitted",
  };
}
