import { fetched, isFetched, type Program } from "./fetched.ts"

/** The version the product is tested with. */
export const tested = "0.166.0"

const machine = process.arch === "arm64" ? "aarch64" : "x86_64"
const target = process.platform === "darwin" ? `${machine}-apple-darwin` : `${machine}-unknown-linux-musl`

const program = (version: string): Program => ({
  name: `codex-${version}`,
  spec: `@openai/codex@${version}-${process.platform}-${process.arch}`,
  file: `@openai/codex/vendor/${target}/bin/codex`,
})

export const codexBinary = (version: string = tested): string => fetched(program(version))
export const codexIsHere = (): boolean => isFetched(program(tested))
