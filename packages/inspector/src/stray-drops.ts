import { hasFiles } from "./ui/dragged.ts"

/** A file that is dropped where nothing takes it would be opened by the browser in the place of the page. */
export function refuseStrayDrops(): void {
  const refuse = (event: DragEvent) => {
    if (event.defaultPrevented || !hasFiles(event.dataTransfer)) return
    event.preventDefault()
    if (event.dataTransfer) event.dataTransfer.dropEffect = "none"
  }
  window.addEventListener("dragover", refuse)
  window.addEventListener("drop", refuse)
}
