/** An item of a transcript as JSON text. */
export interface StoredItem {
  id: string
  startedSeq: number
  completedSeq: number | null
  json: string
}

// As it is stored it is sent: what is no JSON any more must not be.
export const itemsSql = `SELECT id, started_seq AS startedSeq, completed_seq AS completedSeq,
  CASE WHEN json_valid(doc) THEN doc ELSE json(doc) END AS json FROM items`
