import { type CollectionTag, parse, type ScalarTag, YAMLSeq } from "yaml";
import * as z from "zod";
import type { FunctionManifest } from "#shared/runtime/function-manifest.ts";
import { filledTemplate, functionManifests, isWatched, pascalCase } from "./manifests.ts";

const named = z.record(z.string(), z.unknown());
const template = z.object({
  functions: z.record(z.string(), z.looseObject({ environment: named })),
  Resources: z.record(z.string(), z.looseObject({ Properties: named })),
  extensions: named,
  Outputs: named,
});
const statements = z.looseObject({ PolicyDocument: z.looseObject({ Statement: z.array(z.unknown()) }) });

const shortForms: (ScalarTag | CollectionTag)[] = [
  { tag: "!Ref", resolve: (text) => ({ Ref: text }) },
  { tag: "!Sub", resolve: (text) => ({ "Fn::Sub": text }) },
  { tag: "!GetAtt", resolve: (text) => ({ "Fn::GetAtt": text.split(".") }) },
  {
    tag: "!If",
    collection: "seq",
    resolve: (list) => ({ "Fn::If": list instanceof YAMLSeq ? list.toJSON() : [] }),
  },
];

const queueArn = (queue: string) => ({ "Fn::GetAtt": [`${pascalCase(queue)}Queue`, "Arn"] });

function queueUrls(queues: readonly string[]) {
  const urls = queues.map((queue) => `${JSON.stringify(queue)}:"\${${pascalCase(queue)}Queue}"`);
  return { "Fn::Sub": `{${urls.join(",")}}` };
}

function partOf(manifest: FunctionManifest): z.infer<typeof template> {
  const { name, queue, sendsTo = [], settings = {} } = manifest;
  const part = template.parse(parse(filledTemplate("aws.yml", manifest), { customTags: shortForms }));
  const environment = part.functions[name]?.environment ?? {};
  for (const [variable, parameter] of Object.entries(settings))
    environment[variable] = `\${param:${parameter}}`;
  if (sendsTo.length > 0) environment.HUBRELAY_QUEUE_URLS = queueUrls(sendsTo);
  const policy = statements.parse(part.Resources[`${pascalCase(name)}Policy`]?.Properties);
  for (const other of sendsTo.filter((one) => one !== queue))
    policy.PolicyDocument.Statement.push({
      Sid: `SendTo${pascalCase(other)}`,
      Effect: "Allow",
      Action: "sqs:SendMessage",
      Resource: queueArn(other),
    });
  Object.assign(part.Resources[`${pascalCase(name)}Policy`]?.Properties ?? {}, policy);
  return part;
}

/** Returns the parts of `serverless.yml` that are made from the functions' manifests. */
export function stackParts(root: string) {
  const manifests = functionManifests(root);
  const parts = manifests.map(partOf);
  const merged = (section: "functions" | "Resources" | "extensions" | "Outputs") =>
    Object.assign({}, ...parts.map((part) => part[section]));
  const watched = manifests.filter(isWatched).map(({ queue }) => queue);
  return {
    functions: merged("functions"),
    resources: {
      Resources: merged("Resources"),
      extensions: merged("extensions"),
      Outputs: merged("Outputs"),
    },
    // The ARNs are built from names: functions' schedules refer to the role, so the role cannot refer to functions.
    functionArns: [...manifests.map(({ name }) => name), "resync"].map((name) => ({
      "Fn::Sub": `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:\${self:custom.name}-${name}`,
    })),
    sourceQueueArns: manifests.map(({ queue }) => queueArn(queue)),
    queues: manifests.flatMap(({ queue }) =>
      ["Queue", "DeadLetters"].map((kind) => ({ Ref: `${pascalCase(queue)}${kind}` })),
    ),
    queueUrls: queueUrls(manifests.map(({ queue }) => queue)),
    watchedQueueArns: watched.map(queueArn),
    watchedQueueUrls: queueUrls(watched),
  };
}
