import type { Logger } from "./context.ts"

/** Something that has to end, and what it is called in the log. */
export interface Ending {
  what: string
  end(): Promise<unknown> | unknown
}

/** Ends one stage after the other, all of a stage together. A failure is logged and does not keep the others from ending. */
export async function endInOrder(stages: readonly (readonly Ending[])[], log: Logger): Promise<void> {
  for (const stage of stages)
    await Promise.all(
      stage.map(async ({ what, end }) => {
        try {
          await end()
        } catch (error) {
          log("error", "something did not end as it should", { what, error: String(error) })
        }
      }),
    )
}
