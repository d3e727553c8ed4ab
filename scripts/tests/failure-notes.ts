import type { Reporter, TestModule } from "vitest/node"

/** Prints at the very end what failed tests noted of what they were looking at: where only the end of a log is kept, it is there. */
export class FailureNotes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules)
      for (const test of module.children.allTests("failed")) {
        const notes = (test.meta() as { notes?: string[] }).notes ?? []
        if (notes.length > 0) console.error([`\nwhen it failed: ${test.fullName}`, ...notes].join("\n"))
      }
  }
}
