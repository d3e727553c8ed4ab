import { z } from "zod"

/** A whole number in a query string: plain digits only, so that `1e3`, `0x10` and an empty value are refused. */
export const integer = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    // One too long to be told from its neighbours is too large for any of them.
    (value) => (typeof value === "string" && /^-?\d+$/.test(value) ? Math.min(Number(value), 2 ** 53) : value),
    z
      .number("must be a whole number")
      .int(`must be ${max} or less`)
      .min(min, `must be ${min} or more`)
      .max(max, `must be ${max} or less`),
  )

/** A switch in a query string. */
export const flag = z.preprocess(
  (value) => (value === "true" || value === "1" ? true : value === "false" || value === "0" ? false : value),
  z.boolean("must be true or false"),
)
