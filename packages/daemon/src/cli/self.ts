import { fileURLToPath } from "node:url"

/** A compiled executable carries its modules in a file system of its own. */
export const isCompiled = (path: string): boolean => path.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN[\\/]/.test(path)

/** The words that start this very program again; its arguments follow. */
export function selfCommand(): string[] {
  if (isCompiled(Bun.main)) return [process.execPath]
  return [process.execPath, fileURLToPath(new URL("../main.ts", import.meta.url))]
}
