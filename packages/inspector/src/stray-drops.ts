/** A file that is dropped where nothing takes it would be opened by the browser in the place of the page. */
export function refuseStrayDrops(): void {
  const refuse = (event: DragEvent) => {
    // Text is dropped into any field, which nobody handles either.
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return
    event.preventDefault()
    event.dataTransfer.dropEffect = "none"
  }
  window.addEventListener("dragover", refuse)
  window.addEventListener("drop", refuse)
}
