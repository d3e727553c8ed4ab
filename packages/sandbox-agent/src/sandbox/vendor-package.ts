import { SandboxError } from "../errors.ts"

/** A provider's own package, which only those have who use the provider. */
export async function vendorPackage<T>(provider: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const why = textOf(error)
    throw new SandboxError(
      provider,
      "not_installed",
      `The package ${name} is needed: npm install ${name} (${why})`,
      error,
    )
  }
}

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Of this program, where it has one. */
export const environment = (): Record<string, string | undefined> =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {}
