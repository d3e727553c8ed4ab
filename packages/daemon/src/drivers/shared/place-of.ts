import { isAbsolute, resolve } from "node:path"
import { realPath } from "../../files/confinement.ts"

/** What decides what an agent asks for: files of such a name anywhere, and these, which may lie elsewhere through links. */
export interface Deciding {
  name: RegExp
  files(): Promise<readonly string[]>
}

/** The places a path may stand for. Programs differ in what they do first: take a `..` back, or follow the link before it. */
async function placesOf(path: string, directory: string): Promise<string[]> {
  const written = isAbsolute(path) ? path : `${directory}/${path}`
  const plain = resolve(written)
  return [plain, ...(await Promise.all([plain, written].map((one) => realPath(one))))]
}

/** Whether a path, however it is written, stands for a file that decides, or for one that will when it is made. */
export async function decides(path: string, directory: string, { name, files }: Deciding): Promise<boolean> {
  const places = await placesOf(path, directory)
  if (places.some((place) => name.test(place))) return true
  const known = await Promise.all((await files()).map(async (file) => folded(await realPath(file))))
  return places.some((place) => known.includes(folded(place)))
}

/** Some disks know no difference between small and large letters, of which a few have more than one of either. */
const folded = (path: string): string => path.normalize("NFC").toUpperCase().toLowerCase()
