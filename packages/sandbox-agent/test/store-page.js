import { IndexedDbStore } from "sandbox-agent/store/indexeddb"

const stores = []

/** Opens a store and answers with its number; `window.told` is called with what it hears of. */
window.start = async (name) => {
  const store = await IndexedDbStore.open({ name })
  const number = stores.push(store) - 1
  store.onStored((session) => window.told(number, session))
  return number
}

/** A method of a store. What it rejects with comes as a value. */
window.call = async (number, method, words) => {
  try {
    return { value: await stores[number][method](...words) }
  } catch ({ kind, code, message }) {
    return { error: { kind, code, message } }
  }
}

/** A database as the first version made it, with one session. */
window.first = (name, session) =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1)
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => resolve(opening.result.close())
    opening.onupgradeneeded = () => {
      const db = opening.result
      db.createObjectStore("leases", { keyPath: "sandbox" })
      const sessions = db.createObjectStore("sessions", { keyPath: "uid", autoIncrement: true })
      sessions.createIndex("name", ["sandbox", "id", "createdAt"], { unique: true })
      sessions.createIndex("created", ["createdAt", "uid"])
      sessions.createIndex("sandbox", ["sandbox", "createdAt", "uid"])
      db.createObjectStore("events", { keyPath: ["uid", "sequence"] })
      db.createObjectStore("texts", { keyPath: ["uid", "sequence"] }).createIndex("words", "words", {
        multiEntry: true,
      })
      sessions.put(session)
    }
  })

window.newer = (name) =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 99)
    opening.onsuccess = () => resolve(opening.result.close())
    opening.onerror = () => reject(opening.error)
  })

window.refused = (name) =>
  IndexedDbStore.open({ name }).then(
    () => "it was opened",
    ({ kind, code }) => ({ kind, code }),
  )
