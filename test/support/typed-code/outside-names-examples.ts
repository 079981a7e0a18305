/*
 * What the rule of test/typed-code.test.ts refuses and accepts. A comment at the end of a line has the reason for which it
 * must be refused; no other line may be.
 */

type Labels = Readonly<Record<string, string>>;
type Colour = "red" | "green";

const sizes: Labels = { small: "1" };
const colours = { red: "31", green: "32" } as const;
const known = "hubrelay.dev/site-label";

export function refused(labels: Labels | undefined, name: string, value: unknown, list: readonly string[]) {
  const copy: Record<string, string> = {};
  copy[name] = name; // refused: index
  const { [name]: found, ...others } = copy; // refused: index
  return [
    sizes[name], // refused: index
    labels?.[name], // refused: index
    list.map((one) => sizes[one.trim()]), // refused: index
    sizes[`${name}Mi`], // refused: index
    JSON.parse(name)[name], // refused: index
    name in copy, // refused: in
    Object(value).size, // refused: Object()
    Reflect.get(copy, name), // refused: Reflect.get()
    Object.assign(copy, labels), // refused: Object.assign()
    found,
    others,
  ];
}

export function accepted(labels: Labels, name: string, colour: Colour, list: readonly string[], at: number) {
  const { [name]: _dropped, ...others } = labels;
  return [
    others,
    labels[known],
    labels.size,
    colours[colour],
    list[at],
    name[at],
    new Map([[name, at]]).get(name),
    { [name]: at },
    "size" in labels,
    Object.hasOwn(labels, name),
    Object.fromEntries([[name, at]]),
  ];
}
