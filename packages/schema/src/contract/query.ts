import { z } from "zod"

/** A whole number in a query string: plain digits only, so that `1e3`, `0x10` and an empty value are refused. */
export const integer = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z.number("must be a whole number").int().min(min).max(max),
  )

/** A switch in a query string. */
export const flag = z.preprocess(
  (value) => (value === "true" || value === "1" ? true : value === "false" || value === "0" ? false : value),
  z.boolean("must be true or false"),
)
