import type { Release } from "../../store/shared-pages.ts"
import { pagesInProgress } from "./pages-in-progress.ts"

/** An answer in pieces, each of which is the same whenever it is asked for. */
export interface Pieces<At = unknown> {
  /** Where it begins. */
  start: At
  /** A name of the piece at a place, among all pieces of all answers. */
  nameOf(at: At): string
  /** The piece at a place, and the place behind it; undefined at the end. */
  next(at: At): Piece<At> | undefined
}

interface Piece<At> {
  bytes: Uint8Array
  at: At
}

/** The way of one client through an answer. Between two slices it has a place; the piece is there for all who are in it. */
export class Slices<At = unknown> {
  #at: At
  #skip = 0
  #release: Release | undefined

  constructor(private readonly pieces: Pieces<At>) {
    this.#at = pieces.start
  }

  /** The next bytes, at most so many; undefined at the end. */
  read(most: number): Uint8Array | undefined {
    const name = this.pieces.nameOf(this.#at)
    const piece = pagesInProgress.of(
      name,
      () => this.pieces.next(this.#at),
      ({ bytes }) => bytes.length,
    )
    if (piece === undefined) return undefined
    const { bytes } = piece
    const slice = bytes.subarray(this.#skip, this.#skip + most)
    this.#skip += slice.length
    if (this.#skip < bytes.length) {
      // Again each time: others may have needed the room.
      const release = pagesInProgress.hold(name, piece, bytes.length)
      this.close()
      this.#release = release
    } else {
      this.close()
      this.#at = piece.at
      this.#skip = 0
    }
    return slice
  }

  close(): void {
    this.#release?.()
    this.#release = undefined
  }
}
