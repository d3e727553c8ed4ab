import { readFileSync } from "node:fs"
import { relative } from "node:path"

/** Vitest's JSON, as far as it is read here. */
interface VitestJson {
  testResults: {
    name: string
    /** Also `failed` where no test did: the file could not be loaded, or what runs before or after its tests failed. */
    status: "passed" | "failed"
    message: string
    startTime: number
    endTime: number
    assertionResults: {
      status: "passed" | "failed" | "skipped" | "pending" | "todo" | "disabled"
      fullName: string
      title: string
      duration?: number | null
      meta?: { reason?: string }
    }[]
  }[]
}

export interface TestRow {
  name: string
  status: "passed" | "failed" | "skipped"
  ms: number
  /** Why it was skipped, where it says so. */
  reason?: string
}

export interface FileRow {
  path: string
  /** `packages/daemon`, `bench`. */
  part: string
  ms: number
  tests: TestRow[]
}

const partOf = (path: string): string => /^packages\/[^/]+/.exec(path)?.[0] ?? path.split("/")[0] ?? path

const statusOf = (status: string): TestRow["status"] =>
  status === "passed" || status === "failed" ? status : "skipped"

/** What a run came to, file by file. */
export function readResults(json: VitestJson, root: string): FileRow[] {
  return json.testResults.map(({ name, status: all, message, startTime, endTime, assertionResults }) => {
    const path = relative(root, name)
    const tests = assertionResults.map(({ status, fullName, duration, meta }) => ({
      name: fullName,
      status: statusOf(status),
      ms: duration ?? 0,
      ...(meta?.reason !== undefined && { reason: meta.reason }),
    }))
    const isItself = all === "failed" && tests.every(({ status }) => status !== "failed")
    if (isItself) tests.push({ name: `the file itself: ${message.split("\n")[0]}`, status: "failed", ms: 0 })
    return { path, part: partOf(path), ms: endTime - startTime, tests }
  })
}

export const readResultsFile = (file: string, root: string): FileRow[] =>
  readResults(JSON.parse(readFileSync(file, "utf8")) as VitestJson, root)

export const countOf = (files: readonly FileRow[], status: TestRow["status"]): number =>
  files.reduce((sum, { tests }) => sum + tests.filter((test) => test.status === status).length, 0)
