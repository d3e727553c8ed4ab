import { blobHash } from "../files/blob-hash.ts"
import type { PastBlob } from "./driver.ts"
import type { ImagePart } from "./driver-sink.ts"

/** Pictures in items of the past: there is no session yet that could keep them. */
export class PastImages {
  #kept: PastBlob[] = []

  image = (bytes: Uint8Array, mime: string): ImagePart => {
    const blob = blobHash(bytes)
    this.#kept.push({ blob, mime, bytes })
    return { type: "image", blob, mime }
  }

  /** Those since the last call: they go with the item that names them. */
  take(): PastBlob[] {
    const kept = this.#kept
    this.#kept = []
    return kept
  }
}
