import { type BytePath, ofBuffer } from "./byte-path.ts"
import { broken } from "./tar-header.ts"

/** What pax headers say of an entry, as far as it is used. */
export interface Pax {
  path?: BytePath
  linkpath?: BytePath
  size?: number
  mtime?: number
  "GNU.sparse.major"?: string
  "GNU.sparse.name"?: BytePath
  "GNU.sparse.realsize"?: string
  "GNU.sparse.size"?: string
  "GNU.sparse.map"?: string
}

const texts = [
  "path",
  "linkpath",
  "GNU.sparse.major",
  "GNU.sparse.name",
  "GNU.sparse.realsize",
  "GNU.sparse.size",
  "GNU.sparse.map",
] as const

/** Records of `length key=value`, the length with all of itself. */
export function readPax(bytes: Uint8Array): Pax {
  const pax: Pax = {}
  // The oldest form of sparse files says each piece in two records of the same names.
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(ofBuffer(bytes.subarray(at, Math.min(space, at + 20))))
    if (space < 0 || !Number.isSafeInteger(length) || length < space - at + 3 || at + length > bytes.length)
      throw broken("a pax header is damaged")
    const record = ofBuffer(bytes.subarray(space + 1, at + length - 1))
    at += length
    const equals = record.indexOf("=")
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)]
    const known = texts.find((name) => name === key)
    if (known !== undefined) pax[known] = value
    else if (key === "size" || key === "mtime") {
      const number = Number(value)
      if (!Number.isFinite(number) || (key === "size" && !(Number.isSafeInteger(number) && number >= 0)))
        throw broken(`${key} in a pax header is none`)
      pax[key] = number
    } else if (key === "GNU.sparse.offset" || key === "GNU.sparse.numbytes") pieces.push(value)
  }
  if (pieces.length > 0) pax["GNU.sparse.map"] = pieces.join(",")
  return pax
}

/** One record. */
export function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`, "latin1")
  let length = rest.length
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return Buffer.concat([Buffer.from(String(length)), rest])
}
