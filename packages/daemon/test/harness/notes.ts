import { onTestFailed, TestRunner } from "vitest"

const noted = new WeakMap<object, unknown>()

/** If the test that runs fails, this is printed with it: that a time ran out does not say what did not come. */
export function noteOnFailure(about: object, note: () => string): void {
  const running = TestRunner.getCurrentTest()
  if (running === undefined || noted.get(about) === running) return
  noted.set(about, running)
  onTestFailed(({ task }) => {
    const meta = task.meta as { notes?: string[] }
    meta.notes = [...(meta.notes ?? []), note()]
  })
}
