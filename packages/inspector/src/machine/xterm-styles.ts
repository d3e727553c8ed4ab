/**
 * xterm.js writes <style> elements and style attributes, which the policy of the page refuses. What it means by them is put into
 * sheets and properties that scripts may set. From the loading of the first terminal on; nothing else of the page makes any.
 */
const make = document.createElement.bind(document)

/** Stands where a <style> would, and keeps its text in a sheet of the document. */
function sheetElement(): HTMLElement {
  const place = make("span")
  place.hidden = true
  const sheet = new CSSStyleSheet()
  document.adoptedStyleSheets.push(sheet)
  Object.defineProperty(place, "textContent", { set: (text: string) => sheet.replaceSync(text), get: () => "" })
  Object.defineProperty(place, "remove", {
    value: () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
      Element.prototype.remove.call(place)
    },
  })
  return place
}

export function keepStylesInSheets(): void {
  document.createElement = ((name: string, options?: ElementCreationOptions) =>
    name === "style" ? sheetElement() : make(name, options)) as typeof document.createElement
  HTMLSpanElement.prototype.setAttribute = function setAttribute(this: HTMLElement, name: string, value: string) {
    if (name === "style") this.style.cssText = value
    else Element.prototype.setAttribute.call(this, name, value)
  }
}
