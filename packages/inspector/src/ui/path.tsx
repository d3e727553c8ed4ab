/** Where there is too little room, the folder is cut: the last part says what it is about. */
export function Path({ path, shown = path }: { path: string; shown?: string }) {
  const at = Math.max(0, shown.lastIndexOf("/"))
  return (
    <span className="path parted" title={path}>
      <span className="path-folder">{shown.slice(0, at)}</span>
      <span className="path-name">{shown.slice(at)}</span>
    </span>
  )
}

/** From the session's directory on, where it lies in it. */
export const within = (path: string, directory: string | undefined): string =>
  directory !== undefined && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path
