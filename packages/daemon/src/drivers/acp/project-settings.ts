import { realpath } from "node:fs/promises"
import { homedir } from "node:os"
import { join, relative } from "node:path"
import { type Json, record } from "../shared/json.ts"
import { foldersOf, projectText, unreadable } from "../shared/project-files.ts"
import { writtenSettings } from "../shared/written-settings.ts"
import type { Place } from "./project.ts"

/** What the settings of a directory say, by the keys that count. */
export async function settingsOf(
  { directory, reach }: Place,
  name: string,
  keysOf: (settings: Json) => string[],
): Promise<string[]> {
  const text = await projectText(join(directory, name), reach)
  if (text === undefined) return []
  const settings = writtenSettings(text)
  const what = settings === undefined ? ["what cannot be read"] : keysOf(settings)
  return what.length === 0 ? [] : [`${what.join(", ")} of ${name}`]
}

/** Variables that count in the `.env` files of a repository. */
export async function variablesOf(
  { directory, environment, reach }: Place,
  folder: string,
  counts: (name: string) => boolean,
): Promise<string[]> {
  const files = (await repositoryFolders(directory, environment)).flatMap((above) => [
    join(above, folder, ".env"),
    join(above, ".env"),
  ])
  const found = files.map(async (file) => {
    const text = await projectText(file, reach)
    if (text === undefined) return []
    const names = text === unreadable ? ["what cannot be read"] : namesIn(text).filter(counts)
    return names.length === 0 ? [] : [`${names.join(", ")} of ${relative(directory, file)}`]
  })
  return (await Promise.all(found)).flat()
}

/** As dotenv reads them, and more rather than less. */
const namesIn = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(/^\s*(?:export\s+)?([\w.-]+)\s*[=:]/gm), ([, name = ""]) => name)),
]

/** What lies in the user's home is the user's. */
export async function isHome(directory: string, { HOME = homedir() }: Place["environment"]): Promise<boolean> {
  const [one, other] = await Promise.all([directory, HOME].map((path) => realpath(path).catch(() => path)))
  return one === other
}

async function repositoryFolders(directory: string, environment: Place["environment"]): Promise<string[]> {
  const folders = await foldersOf(directory)
  const home = await Promise.all(folders.map((folder) => isHome(folder, environment)))
  return folders.filter((_, at) => home[at] !== true)
}

/** The settings of a section as `section.key`; one that is no section by its own name. */
export function keysIn(settings: Json, section: string): string[] {
  const value = settings[section]
  const isSection = typeof value === "object" && value !== null && !Array.isArray(value)
  return isSection ? Object.keys(record(value)).map((key) => `${section}.${key}`) : [section]
}
