/** A file that is dropped where nothing takes it would be opened by the browser in the place of the page. */
export function refuseStrayDrops(): void {
  const refuse = (event: DragEvent) => {
    if (event.defaultPrevented) return
    event.preventDefault()
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = "none"
  }
  window.addEventListener("dragover", refuse)
  window.addEventListener("drop", refuse)
}
