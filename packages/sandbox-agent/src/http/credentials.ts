import { headersOf } from "acp-http-client"
import { SandboxAgentError } from "../errors.ts"
import type { HeaderSource } from "./http.ts"

/** The header of a token. One that was read from a file may end as a line does. */
export function bearerOf(token: string): string {
  const value = `Bearer ${token.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "")}`
  headersOf({ authorization: value }, () => refusal("token", "it has characters that no request can carry"))
  return value
}

/** As the daemon takes it that is started with it. */
export function checkNewToken(token: string): void {
  if (!/^[\x21-\x7e]{1,1024}$/.test(token))
    throw refusal("token", "1 to 1024 printable characters without spaces are expected")
}

export const sentHeaders = (source: HeaderSource | undefined): Headers =>
  headersOf(source, (why) => refusal("headers", why))

/** Without the value, which is a secret, and without the error of the runtime, which tells it. */
const refusal = (option: string, why: string) => new SandboxAgentError("argument", `${option}: ${why}`)
