import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ErrorCode } from "@sandbox-agent/schema/error"
import { afterAll, beforeAll } from "vitest"
import { expectAnswer, expectProblem } from "../api/contract-check.ts"
import type { Answer } from "../harness/api.ts"
import { type DaemonOptions, startDaemon, type TestDaemon } from "../harness/daemon.ts"

/** Of this file of tests, removed at its end. */
const made: string[] = []

/** A folder of its own, where paths are what they seem. */
export function workspace(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sandbox-agent-files-")))
  made.push(folder)
  return folder
}

type Bytes = NonNullable<RequestInit["body"]>
export type Query = Record<string, string | number | boolean | undefined>

export const queryOf = (query: Query): string =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  ).toString()

/** The file endpoints as a client sees them; every answer is held against the contract. */
export class FilesClient {
  constructor(readonly daemon: TestDaemon) {}

  async call<T = Record<string, unknown>>(
    method: string,
    name: string,
    query: Query = {},
    body?: Bytes | object,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const path = `/v1/fs/${name}?${queryOf(query)}`
    const json = body !== undefined && Object.getPrototypeOf(body) === Object.prototype
    const response = await fetch(this.daemon.url + path, {
      method,
      headers: { ...this.daemon.api.headers, ...(json ? { "content-type": "application/json" } : {}), ...headers },
      body: json ? JSON.stringify(body) : (body as Bytes | undefined),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get("content-type") ?? "") && name !== "file"
    const isProblem = response.headers.get("content-type") === "application/problem+json"
    const answer = {
      status: response.status,
      headers: response.headers,
      body: ((isJson || isProblem || method === "PUT") && text !== "" ? JSON.parse(text) : text) as T,
    }
    expectAnswer(method, path, answer)
    return answer
  }

  async ok<T = Record<string, unknown>>(
    method: string,
    name: string,
    query: Query = {},
    body?: Bytes | object,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const answer = await this.call<T>(method, name, query, body, headers)
    if (answer.status >= 300) throw new Error(`${method} ${name}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async refused(
    code: ErrorCode,
    method: string,
    name: string,
    query: Query = {},
    body?: Bytes | object,
    headers: Record<string, string> = {},
  ): Promise<Record<string, unknown>> {
    const answer = await this.call(method, name, query, body, headers)
    if (answer.status < 400) throw new Error(`${method} ${name} was not refused: ${JSON.stringify(answer.body)}`)
    expectProblem(answer, code)
    return answer.body
  }
}

/** One daemon and one folder for the tests of a file. */
export function filesDaemon(options: (folder: string) => DaemonOptions = () => ({})) {
  const shared = { folder: "", daemon: undefined as unknown as TestDaemon, fs: undefined as unknown as FilesClient }
  beforeAll(async () => {
    shared.folder = workspace()
    shared.daemon = await startDaemon({ cwd: shared.folder, ...options(shared.folder) })
    shared.fs = new FilesClient(shared.daemon)
  })
  afterAll(async () => {
    await shared.daemon[Symbol.asyncDispose]()
    for (const folder of made) rmSync(folder, { recursive: true, force: true })
  })
  return shared
}
