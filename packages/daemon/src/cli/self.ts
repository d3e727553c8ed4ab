import { fileURLToPath } from "node:url"

/** A compiled executable carries its modules in a file system of its own. */
export const isCompiled = (path: string): boolean => path.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN[\\/]/.test(path)

/** The words that start this very program again; its arguments follow. */
export function selfCommand(): string[] {
  if (isCompiled(Bun.main)) return [process.execPath]
  // Started in a user's folder, Bun would take its .env for ours.
  return [process.execPath, "--no-env-file", fileURLToPath(new URL("../main.ts", import.meta.url))]
}
