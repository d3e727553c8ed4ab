import { isAbsolute, resolve } from "node:path"
import type { Route } from "@sandbox-agent/schema/contract/route"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { bodyFields } from "./api-commands.ts"
import type { Call } from "./client.ts"
import type { Connection } from "./connection.ts"
import { UsageError } from "./usage.ts"

const loopback = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/

/** Whether the daemon is, as far as its address tells, on this machine: then paths are those of the caller. */
export const isHere = ({ endpoint }: Connection): boolean => loopback.test(endpoint)

/** What needs the folder that is meant: a relative one is the caller's, and without one it is where the caller stands. */
export function inDirectory(route: Route, request: Call, connection: Connection): { request: Call; assumed: boolean } {
  const inBody = route.body !== undefined && "directory" in bodyFields(route).fields
  const inQuery = route.query?.directory !== undefined
  if (!inBody && !inQuery) return { request, assumed: false }
  const body = (request.body ?? {}) as Record<string, unknown>
  const given = inQuery ? request.query?.get("directory") : body.directory
  const here = isHere(connection)
  if (typeof given === "string" && !isAbsolute(given) && !here)
    throw new UsageError(
      `--directory: ${given} is not absolute, and ${connection.endpoint} is another machine`,
      route.cli,
    )
  if (!here) return { request, assumed: false }
  const directory = resolve(typeof given === "string" ? given : ".")
  const assumed = typeof given !== "string"
  if (inBody) return { request: { ...request, body: { ...body, directory } }, assumed }
  const query = new URLSearchParams(request.query)
  query.set("directory", directory)
  return { request: { ...request, query }, assumed }
}

/** A daemon in a container has our address and other folders: it has no folder of the name that nobody gave. */
export const isOtherPlace = (error: unknown): boolean =>
  SandboxAgentError.is(error) && error.code === "invalid_request" && error.detail.startsWith("directory: ")
