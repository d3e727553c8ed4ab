import { useEffect, useState } from "react"
import type { Session } from "sandbox-agent"
import { useDaemon } from "../daemon-context.ts"
import { Icon } from "../ui/icon.tsx"

/** Shown as pictures. A drawing in SVG is one too: inside an image it runs nothing. */
const shown = /^image\/(png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/

/** Bytes come by request, with the token, and are shown from memory: no address of the daemon is given to an image. */
export function Picture({
  session,
  blob,
  path,
  mime,
}: {
  session: Session
  blob?: string | undefined
  path?: string | undefined
  mime?: string | undefined
}) {
  const { client } = useDaemon()
  // A picture may be known by its path first, and by its bytes once its item is complete.
  const of = blob ?? path ?? ""
  const [loaded, setLoaded] = useState<{ of: string; address?: string; error?: string }>()
  useEffect(() => {
    const stop = new AbortController()
    let made: string | undefined
    const load = async () => {
      const { signal } = stop
      const bytes =
        blob !== undefined
          ? await client.getBlob(session.id, blob, { signal })
          : new Blob([await client.fs.read(path ?? "", { sessionId: session.id, signal })])
      const type = (mime ?? bytes.type ?? "").split(";")[0] ?? ""
      if (!shown.test(type)) throw new Error(`${type || "This"} is not shown as a picture`)
      if (signal.aborted) return
      made = URL.createObjectURL(new Blob([bytes], { type }))
      setLoaded({ of, address: made })
    }
    load().catch((failed: unknown) => {
      const error = failed instanceof Error ? failed.message : String(failed)
      if (!stop.signal.aborted) setLoaded({ of, error })
    })
    return () => {
      stop.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [client, session.id, blob, path, mime, of])
  const { address, error } = loaded?.of === of ? loaded : {}
  const name = path?.split("/").at(-1) ?? "image"
  if (error !== undefined)
    return (
      <p className="soft">
        <Icon name="image" /> {name}: {error}
      </p>
    )
  if (address === undefined) return <div className="picture shape" />
  return <img className="picture" src={address} alt={name} />
}
