import { ownValue } from "./json/values.ts";

const powers: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
  Pi: 1024 ** 5,
  Ei: 1024 ** 6,
};
const form = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([eE][+-]?\d+)|([a-zA-Z]{0,2}))$/;

/** Returns a quantity such as `100Gi` or `12e6` as a number, or undefined. Format: `Quantity` of apimachinery. */
export function quantityOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const [, digits, exponent = "", unit = ""] = form.exec(value) ?? [];
  const factor = ownValue(powers, unit);
  return digits === undefined || factor === undefined ? undefined : Number(digits + exponent) * factor;
}
