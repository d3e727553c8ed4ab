import type { z } from "zod"
import type { ErrorCode } from "../error.ts"

export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"

/**
 * How a route answers: one JSON body, a stream of SSE frames, bytes, headers alone, text, a page, JSON unless SSE is asked
 * for, or with its status alone.
 */
export type Answer = "none" | "json" | "sse" | "bytes" | "headers" | "text" | "html" | "json-or-sse"

export type Shape = Record<string, z.ZodType>

/** One endpoint, declared once. Router, validation, OpenAPI, CLI words and SDK types come from it. */
export interface Route<P extends Shape = Shape, Q extends Shape = Shape, B extends z.ZodType = z.ZodType> {
  /** Stable name: operationId in OpenAPI, method name in the SDK, key of its handler. */
  readonly id: string
  readonly method: Method
  /** Path with `{name}` parameters. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly bodyRequired?: boolean
  /** The body is bytes of this type, taken as they come, of any size. */
  readonly bodyBytes?: string
  readonly answer: Answer
  /** Of an answer of bytes, the types that it can have; any where none is named. */
  readonly mediaTypes?: readonly string[]
  readonly status: number
  /** Further statuses that are no error, with what they mean: 206, 304. */
  readonly otherStatuses?: Readonly<Record<number, string>>
  /** Headers of the request that it reads, with what they do. */
  readonly headers?: Readonly<Record<string, string>>
  /** Errors this route can give besides those every route can. */
  readonly errors: readonly ErrorCode[]
  /** A stream that ends by itself and cannot be taken up again. */
  readonly once?: boolean
  /** No token needed. */
  readonly open?: boolean
  /** Words after `sandbox-agent api`; the parameters follow as arguments. */
  readonly cli: readonly [group: string, command: string]
  /** Other words that mean the same command. */
  readonly cliAliases?: readonly (readonly [group: string, command: string])[]
  /** A field of body or query that may be given as the last plain argument. */
  readonly cliArgument?: string
  /** Body fields in front of `cliArgument`, in this order; they may be given as flags, too. */
  readonly cliOperands?: readonly string[]
  /** A body field that takes all further plain arguments. */
  readonly cliArguments?: string
  /** The same handler also answers here. */
  readonly alsoAt?: readonly string[]
}

/** Errors any route can give, so that no route lists them. */
export const commonErrors: readonly ErrorCode[] = ["invalid_request", "token_invalid", "permission_denied", "internal"]

/** Every error a route can give: its own, the common ones, and those that follow from what it takes and answers. */
export function errorsOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>([...commonErrors, ...route.errors])
  if (route.body) codes.add("payload_too_large").add("unsupported_media_type")
  if (route.answer === "sse") codes.add("not_acceptable").add("too_many_requests")
  // Whatever changes something may have to write it.
  if (route.method !== "GET" && route.method !== "HEAD") codes.add("insufficient_storage")
  if (route.open) codes.delete("token_invalid")
  return [...codes]
}

export const route = <const T extends Route>(r: T): T => r

export type Infer<S> = S extends z.ZodType ? z.infer<S> : undefined
export type InferShape<S> = S extends Shape ? { [K in keyof S]: z.infer<S[K]> } : Record<string, never>
