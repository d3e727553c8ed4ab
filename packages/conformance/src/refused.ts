/** The daemon said no; `code` is one of its closed list, whichever protocol it was said in. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/** The code of a refusal; nothing when it was done. Whatever else goes wrong is thrown. */
export async function refusal(doing: Promise<unknown>): Promise<string | undefined> {
  try {
    await doing
    return undefined
  } catch (error) {
    if (error instanceof Refused) return error.code
    throw error
  }
}

/** The code in the type of a problem document. */
export const codeIn = (problem: unknown): string =>
  /^urn:sandbox-agent:error:(\w+)$/.exec(String((problem as { type?: unknown } | null)?.type))?.[1] ?? "unknown"
