import { SandboxAgentError } from "./error.ts"

/** An exact version: it becomes a folder name, a part of addresses and an argument, so nothing else passes. */
const exact = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z][0-9A-Za-z.+-]*)?$/
const longest = 100

export function isExactVersion(text: string): boolean {
  return text.length <= longest && exact.test(text)
}

/** What a client asked for; `undefined` is the newest. */
export function wantedVersion(agent: string, given: string | undefined): string | undefined {
  if (given === undefined || given === "latest") return undefined
  const version = given.replace(/^v(?=\d)/, "")
  if (isExactVersion(version)) return version
  throw new SandboxAgentError("invalid_request", `${JSON.stringify(given)} is not an exact version such as 1.2.3`, {
    agent,
  })
}
