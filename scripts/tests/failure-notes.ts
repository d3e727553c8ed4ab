import type { Reporter, TestCase, TestModule } from "vitest/node"

/**
 * Prints why a test failed as soon as it did: the run may go on for minutes, or be stopped. At the very end it prints what failed
 * tests noted of what they were looking at: where only the end of a log is kept, it is there.
 */
export class FailureNotes implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result()
    if (state === "failed") tell(`${test.module.relativeModuleId} > ${test.fullName}`, errors)
  }

  /** A file that could not be loaded, or whose hooks failed, has no test that says so. */
  onTestModuleEnd(module: TestModule): void {
    const errors = [module, ...module.children.allSuites()].flatMap((one) => one.errors())
    if (errors.length > 0) tell(module.relativeModuleId, errors)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules)
      for (const test of module.children.allTests("failed")) {
        const notes = (test.meta() as { notes?: string[] }).notes ?? []
        if (notes.length > 0) console.error([`\nwhen it failed: ${test.fullName}`, ...notes].join("\n"))
      }
  }
}

function tell(what: string, errors: readonly { stack?: string; message: string }[]): void {
  const ours = (line: string) => !line.includes("/node_modules/")
  const reasons = errors.flatMap(({ stack, message }) => (stack ?? message).split("\n").filter(ours))
  console.error([`\nfailed: ${what}`, ...reasons].join("\n"))
}
