import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { type Document, isOutside } from "../scripts/types.ts"
import { type OperationId, SandboxAgentClient } from "../src/sandbox-agent.ts"
import { startFront } from "./harness/front.ts"
import { operationsOf } from "./operations.ts"

interface Parameter {
  name: string
  in: string
}
const document = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8")) as Document
const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, operation]) => !isOutside(operation))
    .map(([method, operation]) => ({
      id: operation.operationId as OperationId,
      request: `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "*")}`,
      query: ((operation as { parameters?: Parameter[] }).parameters ?? [])
        .filter((parameter) => parameter.in === "query")
        .map(({ name }) => name),
    })),
)

test("every operation of the document has a method, and every method is one of the document", () => {
  expect(new Set(Object.keys(operationsOf("x")))).toEqual(new Set(documented.map(({ id }) => id)))
})

/** Opened by a WebSocket, which no request is made for. */
const sockets: OperationId[] = ["attachTerminal"]

test("every method asks for what its operation says, with names that it knows", async () => {
  using front = await startFront("http://127.0.0.1", (_, answer) => {
    answer.writeHead(404, { "content-type": "application/problem+json" })
    answer.end('{"type":"urn:sandbox-agent:error:not_found","title":"Not found","status":404,"detail":"nothing here"}')
  })
  const client = new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl, token: "t" })
  for (const { id, request, query } of documented.filter((one) => !sockets.includes(one.id))) {
    await Promise.resolve(operationsOf("x")[id](client)).then(
      () => expect.unreachable(`${id} resolved`),
      (error) => expect(error, id).toMatchObject({ kind: "problem", status: 404 }),
    )
    const last = front.seen.at(-1)
    const pattern = new RegExp(`^${request.replaceAll(/[.]/g, "\\.").replaceAll("*", "[^/]+")}$`)
    expect(`${last?.method} ${last?.path}`, id).toMatch(pattern)
    expect(
      [...(last?.query.keys() ?? [])].filter((name) => !query.includes(name)),
      id,
    ).toEqual([])
  }
})

test("a name that no address can be made of rejects, before anything is sent", async () => {
  using front = await startFront("http://127.0.0.1", (_, answer) => answer.end())
  const client = new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl, token: "t" })
  const named = documented.filter(({ request }) => request.includes("*"))
  expect(named.length).toBeGreaterThan(25)
  for (const name of ["", ".", "..", "\ud800", undefined as unknown as string])
    for (const { id } of named) {
      // It is the promise that tells, never the call.
      const called = operationsOf(name)[id](client)
      await expect(called, `${id} ${name}`).rejects.toMatchObject({ kind: "argument", name: "SandboxAgentError" })
    }
  for (const call of [client.session("").info(), client.session("..").prompt("x"), client.terminals.attach("")])
    await expect(call).rejects.toMatchObject({ kind: "argument" })
  const circular: Record<string, unknown> = {}
  circular.self = circular
  await expect(client.createSession({ agent: "mock", metadata: circular })).rejects.toMatchObject({ kind: "argument" })
  expect(front.seen).toEqual([])
})
