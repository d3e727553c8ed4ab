import { full } from "./extent.ts"
import { fetched, isFetched, isMusl, type Program } from "./fetched.ts"

/** The version the product pins, and the one npm picks where Node is old. */
export const newest = "2.1.325"
export const oldest = "2.1.197"

/** Those that the tests of the driver are run with. */
export const versions: readonly string[] = full ? [newest, oldest] : [newest]

const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}${isMusl ? "-musl" : ""}`

const program = (version: string): Program => ({
  name: `claude-${version}`,
  spec: `${name}@${version}`,
  file: `${name}/claude`,
})

export const claudeBinary = (version: string = newest): string => fetched(program(version))
export const claudeIsHere = (): boolean => isFetched(program(newest))
