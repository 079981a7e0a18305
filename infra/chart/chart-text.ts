import { stringify } from "yaml";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { marks, templatedObject } from "./chart-objects.ts";

/** Replaces the marks of `templatedObject` by what includes them, with the indent of their line. */
function withTemplates(text: string): string {
  const included = (_: string, spaces: string, what: string) => {
    const [name, ...parameters] = what.split(" ");
    const quoted = parameters.map((parameter) => ` ${JSON.stringify(parameter)}`).join("");
    return `${spaces}{{- include "hubrelay.${name}" (list .${quoted}) | nindent ${spaces.length} }}`;
  };
  const mark = new RegExp(`^( *)(?:- )?"?(?:${marks.key}: |${marks.item})(?:'|")?(.*?)(?:'|")?$`, "gm");
  return text
    .replaceAll("{{", '{{ "{{" }}')
    .replaceAll("<<", "{{ ")
    .replaceAll(">>", " }}")
    .replace(mark, included);
}

/** Returns a template of the chart: these objects, where the condition holds. */
export function templateOf(objects: readonly KubernetesObject[], condition: string): string {
  const documents = objects.map((object) =>
    withTemplates(stringify(templatedObject(object), { lineWidth: 0, aliasDuplicateObjects: false })),
  );
  const text = documents.join("---\n");
  const head = "# By `npm run generate`, from the manifests of the overlays.\n";
  return condition ? `${head}{{- if ${condition} }}\n${text}{{- end }}\n` : `${head}${text}`;
}
