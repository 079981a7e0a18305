import type { Rule } from "../../crd/check-rules.ts";
import type { Schema, SchemaRule } from "../../crd/schema.ts";
import { sentence } from "../../credentials/redact.ts";
import { fieldsOf, isSameJson, listOf } from "../../json/values.ts";

/** The allowed values in `spec.capabilities`, in the CRD's order. */
const allowedCapabilities = [
  "ImageRegistry",
  "openshift-samples",
  "Insights",
  "baremetal",
  "Console",
  "NodeTuning",
  "Ingress",
];

function immutable(message: string): SchemaRule<Rule> {
  return {
    rule: (self, stored) => stored === undefined || isSameJson(self, stored.value),
    usesOldSelf: true,
    message,
  };
}

const always = (holds: (self: unknown) => boolean, message: string): SchemaRule<Rule> => ({
  rule: holds,
  usesOldSelf: false,
  message,
});

const disruptive = "Changes might result in unpredictable and disruptive behavior.";
const capabilityList = (name: string, ...rules: readonly SchemaRule<Rule>[]): Schema<Rule> => ({
  type: "array",
  maxItems: 25,
  items: { type: "string", enum: allowedCapabilities },
  listType: "atomic",
  rules: [immutable(sentence`${name} is immutable. ${disruptive}`), ...rules],
});

const capabilities: Schema<Rule> = {
  type: "object",
  default: {},
  properties: new Map([
    ["enabled", capabilityList("Enabled")],
    [
      "disabled",
      capabilityList(
        "Disabled",
        always(
          (self) => !listOf(self).includes("Ingress") || listOf(self).includes("Console"),
          "Ingress capability can only be disabled if Console capability is also disabled",
        ),
      ),
    ],
  ]),
  rules: [
    immutable(`Capabilities is immutable. ${disruptive}`),
    always((self) => {
      const { enabled, disabled } = fieldsOf(self);
      return !listOf(enabled).some((name) => listOf(disabled).includes(name));
    }, "Capabilities can not be both enabled and disabled at once."),
  ],
};

const imageContentSources: Schema<Rule> = {
  type: "array",
  maxItems: 255,
  items: {
    type: "object",
    required: ["source"],
    properties: new Map<string, Schema<Rule>>([
      ["source", { type: "string", maxLength: 255 }],
      [
        "mirrors",
        { type: "array", listType: "set", maxItems: 255, items: { type: "string", maxLength: 255 } },
      ],
    ]),
  },
};

const pausedUntil: Schema<Rule> = {
  type: "string",
  minLength: 4,
  maxLength: 35,
  rules: [
    always(
      (self) =>
        ["true", "false", "True", "False"].includes(String(self)) ||
        // The dot in the CRD's expression does not match a line break.
        /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[^\n]*$/.test(String(self)),
      "PausedUntil must be a date in RFC3339 format or 'True', 'true', 'False' or 'false'",
    ),
  ],
};

const olmCatalogPlacement: Schema<Rule> = {
  type: "string",
  default: "management",
  enum: ["management", "guest"],
  rules: [immutable("OLMCatalogPlacement is immutable")],
};

const operatorHub: Schema<Rule> = {
  type: "object",
  keepsUnknown: true,
  properties: new Map<string, Schema<Rule>>([["disableAllDefaultSources", { type: "boolean" }]]),
};

const configuration: Schema<Rule> = {
  type: "object",
  keepsUnknown: true,
  properties: new Map([["operatorhub", operatorHub]]),
};

/**
 * hubrelay's own copy of the rules of HyperShift's CRD (v0.1.81, hostedclusters-Hypershift-Default) about mirrors,
 * catalogs, capabilities and pauses; everything else in a HostedCluster is accepted.
 */
export const ownHostedClusterSchema: Schema<Rule> = {
  type: "object",
  keepsUnknown: true,
  properties: new Map<string, Schema<Rule>>([
    [
      "spec",
      {
        type: "object",
        keepsUnknown: true,
        properties: new Map<string, Schema<Rule>>([
          ["capabilities", capabilities],
          ["imageContentSources", imageContentSources],
          ["pausedUntil", pausedUntil],
          ["olmCatalogPlacement", olmCatalogPlacement],
          ["configuration", configuration],
        ]),
      },
    ],
  ]),
};
