import { ownValue } from "../kubernetes/json/values.ts";

const second = 1000;
const units: Readonly<Record<string, number>> = {
  h: 3600 * second,
  m: 60 * second,
  s: second,
  ms: 1,
};

/** Returns the milliseconds of a Kubernetes duration such as `2h30m` or `1.5h`; undefined if it is invalid. */
export function readDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)(h|ms|m|s)/g))
    sum += Number(amount) * (ownValue(units, unit) ?? 0);
  return Math.round(sum);
}
