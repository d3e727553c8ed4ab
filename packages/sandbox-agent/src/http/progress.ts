/** How far a transfer is. */
export interface Progress {
  bytes: number
  /** Where it is known. */
  total?: number
}

export type OnProgress = (progress: Progress) => void
