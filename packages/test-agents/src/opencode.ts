import { fetched, isFetched, isMusl, type Program } from "./fetched.ts"

/** One that npm has for every platform we test on. */
export const tested = "1.18.18"

const name = `opencode-${process.platform}-${process.arch}${isMusl ? "-musl" : ""}`

const program = (version: string): Program => ({
  name: `opencode-${version}`,
  spec: `${name}@${version}`,
  file: `${name}/bin/opencode`,
})

export const opencodeBinary = (version: string = tested): string => fetched(program(version))
export const opencodeIsHere = (): boolean => isFetched(program(tested))
