import type { NodeFile } from "#shared/domain/machine-config/node-file.ts";
import { explainImage, type NameExplanation } from "#shared/domain/mirrors/explain-image.ts";
import type { Candidate } from "#shared/domain/mirrors/resolve.ts";
import { type Pull, registries } from "./lab.ts";

/** What `hubrelay explain` says about a full reference on a node with these files. */
export function explainPull(reference: string, files: readonly NodeFile[]): NameExplanation {
  const explained = explainImage(reference, files);
  if ("problem" in explained) throw new Error(`${reference}: ${explained.problem}`);
  const [name, ...others] = explained.names;
  if (!name || others.length > 0) throw new Error(`${reference} stands for ${explained.names.length} names`);
  return name;
}

/** The registry and repository of a reference; docker.io is served by another host. */
export function repositoryOf(reference: string): string {
  return reference
    .replace(/(?:@sha256:[0-9a-f]{64}|:[^:/]+)$/, "")
    .replace(/^docker\.io\//, "registry-1.docker.io/");
}

function hostOf(repository: string): string {
  return repository.slice(0, repository.indexOf("/"));
}

/** A registry answers those who insist on its certificate only when they trust it. */
function answers({ taken, insecure, reference }: Candidate): boolean {
  const protection = registries[hostOf(repositoryOf(reference))];
  return taken && protection !== undefined && (insecure || protection === "trusted");
}

/** What a pull must look like in the registries' log when hubrelay is right, given who holds the image. */
export function expectPull(
  { candidates, policy }: NameExplanation,
  isHeldBy: (repository: string) => boolean,
): Pick<Pull, "from" | "asked" | "contacted"> {
  const answering = candidates.filter(answers).map(({ reference }) => repositoryOf(reference));
  const first = answering.findIndex(isHeldBy);
  const asked = first < 0 ? answering : answering.slice(0, first + 1);
  return {
    // The policy is looked at when the image has been found, so the registries see those that it rejects too.
    from: policy.verdict === "accept" ? answering[first] : undefined,
    asked,
    contacted: [...new Set(asked.map(hostOf))],
  };
}
