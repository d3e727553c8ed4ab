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
