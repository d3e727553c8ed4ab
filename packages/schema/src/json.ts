import { z } from "zod"

/** Any JSON: what a client or an agent put there, passed on as it is. */
export const JsonValueSchema = z.unknown()

/** Whatever a client or an agent wants to have kept beside a thing. */
export const MetadataSchema = z.record(z.string(), JsonValueSchema)
