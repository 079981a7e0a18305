import type { Problem } from "../issues/issue.ts";
import { tryResolveName } from "./image-name.ts";

const form = "host[:port]/path@sha256:digest, or :tag instead of the digest";

const isFullName = (text: string): boolean => tryResolveName(text) !== undefined;

function problemOf(text: string): readonly [message: string, remedy: string] {
  const [named = "", digest] = text.split("@", 2);
  const path = named
    .slice(named.indexOf("/") + 1)
    .split(":", 1)
    .join();
  if (text.trim() === "") return ["The entry is empty.", "Name an image, or remove it."];
  if (/[<>${}]/.test(text))
    return ["It is not an image: a placeholder is not filled in.", `Name the image as ${form}.`];
  if (/\s/.test(text)) return ["The name of an image has no white space.", "Remove the white space."];
  if (/@(?!sha\d+(?::|$))/i.test(text)) return ["The name of an image has no user.", "Remove the user."];
  if (text.includes("://")) return ["The name of an image has no scheme.", "Remove the scheme."];
  if (digest !== undefined && isFullName(named))
    return [
      "The digest is invalid: a sha256 digest has 64 hexadecimal digits, in lower case.",
      "Copy it from the registry.",
    ];
  if (named.includes("/") && /[A-Z]/.test(path))
    return ["A repository name cannot contain capital letters.", "Write the name as the registry has it."];
  if (isFullName(`host.example.com/${text}`))
    return ["The image is not fully qualified.", `Name it with the host of its registry, as ${form}.`];
  return ["It is not an image reference.", `Name the image as ${form}.`];
}

/**
 * Returns why a node could pull no image of this name: its host is not explicit, or it is not an image reference at all.
 * Undefined for the name of an image.
 */
export function imageProblem(text: string): Pick<Problem, "message" | "remedy"> | undefined {
  if (isFullName(text)) return undefined;
  const [message, remedy] = problemOf(text);
  return { message, remedy };
}
