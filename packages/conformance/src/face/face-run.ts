import type { Difference } from "./differences.ts"
import type { OverRest } from "./over-rest.ts"

/** What a run over the face has seen. */
export interface FaceRun {
  /** Sessions whose three transcripts were compared. */
  compared: number
  /** Of the documented differences, those that were met. */
  readonly met: Set<Difference>
  /** What was done over REST. */
  readonly rest: Set<OverRest>
}
