// Examples for the rule about sentences. Nothing runs this file.
declare const name: string;
declare const count: number;
declare const kind: "a" | "b";
declare function sentence(words: TemplateStringsArray, ...values: readonly unknown[]): string;

export const sentences = [
  `no such object: ${name}`, // refused: no tag
  `${name} is invalid`, // refused: no tag
  sentence`${`the cluster ${name}`} is invalid`, // refused: no tag
  `${count} objects`,
  `the kind ${kind}`,
  sentence`no such object: ${name}`,
  `${name}/${name}`,
  `no such object`,
];
