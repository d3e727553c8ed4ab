type OwnProgram = (words: string[]) => Promise<void>

/**
 * What drivers have this program be when they start it again: the first word says which. Each is loaded by itself, without
 * the rest: it must start fast.
 */
export const ownPrograms: ReadonlyMap<string, OwnProgram> = new Map<string, OwnProgram>([
  ["mock-agent", async (words) => (await import("./mock/agent/main.ts")).runMockAgent(words)],
  ["amp-delegate", async (words) => (await import("./amp/delegate.ts")).runDelegate(words)],
])
