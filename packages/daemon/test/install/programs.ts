import { chmod, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { TestInstaller } from "./test-installer.ts"

/** A program in the folder of the installer. */
export async function put(shop: TestInstaller, name: string, text: string): Promise<string> {
  const path = join(shop.directory, name)
  await mkdir(join(path, ".."), { recursive: true })
  await writeFile(path, text)
  await chmod(path, 0o755)
  return path
}

export const envWith = (...folders: string[]) => ({ PATH: [...folders, "/usr/bin", "/bin"].join(":") })
