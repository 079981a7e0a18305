import { stringify } from "yaml";
import { customResourceDefinition, type KindDefinition } from "#shared/domain/fields/kind-definition.ts";
import { windowDefinition } from "#shared/domain/windows/window-definition.ts";
import { commentLines } from "./yaml-text.ts";

const definitions: readonly KindDefinition[] = [windowDefinition];

/** Returns the CustomResourceDefinitions of hubrelay's own kinds, by their paths from the root. */
export function crdFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    definitions.map((one) => {
      const head = commentLines(`${one.about} By \`npm run generate\`, from the kind's fields.`);
      const text = stringify(customResourceDefinition(one), { lineWidth: 120, aliasDuplicateObjects: false });
      return [`infra/crds/${one.kind.plural}.yaml`, `${head.join("\n")}\n${text}`];
    }),
  );
}
