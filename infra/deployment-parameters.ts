import * as z from "zod";

const parameters = z.record(z.string(), z.string().nullable());

/** Parameters on the command line of a deployment; null for one that `--unset` names. */
export type GivenParameters = z.infer<typeof parameters>;

const template = z.object({
  Resources: z.object({
    ServerlessDeploymentBucket: z
      .object({ Metadata: z.object({ parameters: z.string() }).optional() })
      .optional(),
  }),
});

/** Returns the values of options `NAME=VALUE` by name. */
export function parameterValues(options: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    options.map((option) => {
      const end = option.indexOf("=");
      return [option.slice(0, end), option.slice(end + 1)];
    }),
  );
}

/** Reads the parameters that a deployment was given, from the text that `stackOptions` made of them. */
export function givenParameters(text: string): GivenParameters {
  return parameters.parse(JSON.parse(text));
}

/** Returns the parameters that a deployment was given, from its template; none where it does not say. */
export function givenIn(templateBody: string): GivenParameters {
  const { Resources } = template.parse(JSON.parse(templateBody));
  return givenParameters(Resources.ServerlessDeploymentBucket?.Metadata?.parameters ?? "{}");
}

/**
 * Returns what a deployment would change although nobody asked for it, if anything: parameters that only the command line
 * of the last one had. `values` has all parameters of this deployment.
 */
export function forgottenParameters(
  stack: string,
  last: GivenParameters,
  { given, values }: Readonly<{ given: GivenParameters; values: Readonly<Record<string, unknown>> }>,
): string | undefined {
  const forgotten = Object.entries(last).flatMap(([name, value]) =>
    value === null || name in given || !(name in values) || String(values[name]) === value
      ? []
      : [{ name, value }],
  );
  if (forgotten.length === 0) return undefined;
  const changes = forgotten.map(({ name, value }) => `\n  ${name} from "${value}" to "${values[name]}"`);
  const options = forgotten.map(({ name, value }) =>
    name === "hub" ? `--hub ${quoted(value)}` : `--param ${quoted(`${name}=${value}`)}`,
  );
  return `The last deployment of ${stack} had parameters that this one lacks. Nothing was changed; this would change${changes.join("")}
Fix: add ${options.join(" ")}
To change them instead: add ${forgotten.map(({ name }) => `--unset ${name}`).join(" ")}`;
}

/** Returns which parameter a deployment should not do without, if it is missing: it would pre-cache nothing. */
export function missingParameter({
  functions,
  workloadImage,
}: Readonly<Record<string, unknown>>): string | undefined {
  if (functions === "none" || workloadImage) return undefined;
  return "workloadImage is not set: precache-plan and precache-cluster are off without it, and no image is published. Nothing was changed. Fix: build infra/precache-workload, push it to your registry, and add --param workloadImage=REGISTRY/REPOSITORY@sha256:DIGEST (docs/how-to/build-the-workload-image.md).";
}

/** Quotes a word for a shell, where it needs that. */
function quoted(word: string): string {
  return /^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
