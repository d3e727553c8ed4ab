/** Where there is too little room, the folder is cut: the last part says what it is about. */
export function Path({ path, shown = path }: { path: string; shown?: string }) {
  const at = shown.lastIndexOf("/")
  return (
    <span className="path parted" title={path}>
      <span className="path-folder">{shown.slice(0, at + 1)}</span>
      <span className="path-name">{shown.slice(at + 1)}</span>
    </span>
  )
}

/** From the session's directory on, where it lies in it. */
export const within = (path: string, directory: string | undefined): string =>
  directory !== undefined && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path
