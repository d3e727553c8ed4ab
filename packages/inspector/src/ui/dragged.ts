/** Files come with what is dragged. Text and links do not count: a field takes those by itself. */
export const hasFiles = (dragged: DataTransfer | null): boolean => dragged?.types.includes("Files") ?? false
