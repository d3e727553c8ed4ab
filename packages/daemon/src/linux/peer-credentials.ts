import { openLibrary } from "./c-library.ts"

/** Who is at the other end of a unix socket, as the kernel saw it when it connected. */
export interface PeerCredentials {
  /** 0: a process outside of our pid namespace, and so none that we could have started. */
  pid: number
  uid: number
}

const SOL_SOCKET = 1
const SO_PEERCRED = 17
const bytesOfUcred = 12

let library: ReturnType<typeof open> | undefined

const open = () => openLibrary({ getsockopt: { args: ["int", "int", "int", "ptr", "ptr"], returns: "int" } })

/** Linux alone; throws where the kernel does not tell. */
export function peerCredentials(fd: number): PeerCredentials {
  library ??= open()
  const ucred = new Int32Array(bytesOfUcred / 4)
  if (library.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ucred, new Int32Array([bytesOfUcred])) !== 0)
    throw new Error("getsockopt refuses SO_PEERCRED")
  const [pid = 0, uid = -1] = ucred
  return { pid, uid: uid >>> 0 }
}
