import { type Registry, RegistryError } from "#shared/ports/registry.ts";

export type RegistryFake = Readonly<{ registry: Registry /** In order. */; asked: readonly string[] }>;

/** Registries with these images, of which some fail every request or refuse all logins, by their hosts. */
export function registryFake({
  there = [],
  failing = [],
  closed = [],
}: Readonly<{
  there?: readonly string[];
  failing?: readonly string[];
  closed?: readonly string[];
}>): RegistryFake {
  const asked: string[] = [];
  const digest: Registry["digest"] = async (image) => {
    asked.push(image);
    const [host = ""] = image.split("/");
    if (failing.includes(host)) throw new RegistryError("Unavailable", `${image}: the registry returned 500`);
    if (closed.includes(host))
      throw new RegistryError("Unauthorized", `${image}: the registry lets nobody in`);
    return there.includes(image) ? `sha256:${"d".repeat(64)}` : undefined;
  };
  const nothing = async () => undefined;
  return { registry: { digest, image: nothing, files: async () => new Map() }, asked };
}
