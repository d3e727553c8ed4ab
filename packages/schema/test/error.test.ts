import { describe, expect, test } from "vitest"
import { errorCodeOfType, errors, problemType, SandboxAgentError } from "../src/error.ts"

/** SPEC §3, word by word: the closed list. */
const table = {
  invalid_request: 400,
  unsupported_agent: 400,
  mode_not_supported: 400,
  token_invalid: 401,
  permission_denied: 403,
  agent_not_installed: 404,
  session_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  session_already_exists: 409,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  too_many_requests: 429,
  install_failed: 500,
  agent_process_exited: 500,
  internal: 500,
  insufficient_storage: 507,
  not_supported: 501,
  stream_error: 502,
  unavailable: 503,
  timeout: 504,
}

describe("errors", () => {
  test("are the closed list of the specification, each with a title and a hint", () => {
    expect(Object.fromEntries(Object.entries(errors).map(([code, { status }]) => [code, status]))).toEqual(table)
    for (const { title, hint } of Object.values(errors))
      for (const text of [title, hint]) expect(text).toMatch(/^\S.*\S$/)
  })

  test("types lead back to codes, and other types to none", () => {
    for (const code of Object.keys(table) as (keyof typeof table)[])
      expect(errorCodeOfType(problemType(code))).toBe(code)
    for (const type of [
      "about:blank",
      "",
      "urn:sandbox-agent:error:",
      "urn:sandbox-agent:error:toString",
      "urn:other-agents:error:conflict",
    ])
      expect(errorCodeOfType(type), type).toBeUndefined()
  })

  test("a problem keeps its standard fields whatever the context says, and takes the context's hint", () => {
    const context = { status: "ended", title: "x", type: "y", detail: "z", sessionId: "s", hint: "do that" }
    const problem = new SandboxAgentError("conflict", "it has ended", context).toProblem("req_1")
    expect(problem).toEqual({
      type: "urn:sandbox-agent:error:conflict",
      title: "Conflict",
      status: 409,
      detail: "it has ended",
      requestId: "req_1",
      hint: "do that",
      sessionId: "s",
    })
  })

  test("of a daemon keeps the number of its request where it is told once more", () => {
    const told = new SandboxAgentError("not_found", "x", new SandboxAgentError("not_found", "x").toProblem("req_7"))
    expect(told.toProblem().requestId).toBe("req_7")
    expect(told.toProblem("req_8").requestId).toBe("req_8")
  })

  test("is known as ours also from another copy of this package, and nothing else is", () => {
    expect(SandboxAgentError.is(new SandboxAgentError("internal", "x"))).toBe(true)
    expect(SandboxAgentError.is({ [Symbol.for("sandboxagent.dev/error")]: true })).toBe(true)
    for (const other of [new Error("x"), { code: "internal" }, null, undefined, "internal"])
      expect(SandboxAgentError.is(other)).toBe(false)
  })

  test("becomes an agent's error with code, message and hint", () => {
    const error = new SandboxAgentError("agent_process_exited", "it died", { exitCode: 3, signal: undefined })
    expect(error.toAgentError("mock", "s")).toMatchObject({
      code: "agent_process_exited",
      message: "it died",
      agent: "mock",
      sessionId: "s",
      exitCode: 3,
      hint: errors.agent_process_exited.hint,
    })
  })
})
