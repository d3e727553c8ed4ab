type Work = () => unknown

let works: Work[] = []

/**
 * Done when the test file that runs has ended. A worker runs one file after the other, and what several of them import is
 * loaded by the first alone: a hook at the top of such a module would be of that one.
 */
export function afterFile(work: Work): void {
  works.push(work)
}

/** The last first, as hooks are. */
export async function endFile(): Promise<void> {
  const due = works.reverse()
  works = []
  for (const work of due) await work()
}
