import { rm } from "node:fs/promises"
import type { Host } from "../../src/core/driver.ts"
import { layOutSkills } from "../../src/core/skill-folders.ts"
import { Confinement } from "../../src/files/confinement.ts"

/** The folder of a host whose agents run as the user of the test. */
export const foldersAt = (home: string): Pick<Host, "home" | "asAgent" | "reach" | "layOutSkills" | "remove"> => ({
  home,
  asAgent: (work) => work(),
  reach: new Confinement(),
  layOutSkills: (...given) => layOutSkills({ files: new Confinement() }, (work) => work(), ...given),
  remove: (folder) => rm(folder, { recursive: true, force: true }),
})
