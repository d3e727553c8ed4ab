import { fetched, isFetched, type Program } from "./fetched.ts"

/** The last one in pure JavaScript, which runs everywhere. */
export const tested = "0.0.1777897475-g2324e1"

const program: Program = {
  name: `amp-${tested}`,
  spec: `@sourcegraph/amp@${tested}`,
  file: "@sourcegraph/amp/dist/main.js",
}

/** A script for Node or Bun, which can be run by itself. */
export const ampBinary = (): string => fetched(program)
export const ampIsHere = (): boolean => isFetched(program)
