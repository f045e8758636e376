/** Every column that holds sealed values. Nothing is sealed for another cell, and rotating the secret visits all of these. */

/** The columns of the primary key of their tables, in its order. */
export const sealedColumns = {
  "channels.sealed": ["id"],
  "components.push_token_sealed": ["id"],
  "contact_ways.sealed": ["id"],
  "heartbeats.token_sealed": ["monitor_id"],
  "idempotent_requests.answer": ["workspace_id", "place"],
  "import_documents.sealed": ["id"],
  "installation_keys.sealed": ["name"],
  "mail_server.sealed": ["id"],
  "mails.sealed": ["id"],
  "monitors.sealed": ["id"],
  "ping_keys.sealed": ["workspace_id"],
  "plans.sealed": ["id"],
  "secret_check.sealed": ["only_row"],
  "sign_in_links.next_sealed": ["token_hash"],
  "subscribers.sealed": ["id"],
  "upstream_alerts.manage_sealed": ["id"],
  "users.totp_sealed": ["id"],
  "workspaces.claim_token_sealed": ["id"]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

export type SealedColumn = keyof typeof sealedColumns

export type KeyPart = string | boolean | Uint8Array

/** The column and row of a sealed value. A copy of it in another one does not open. */
export interface SealedCell {
  readonly column: SealedColumn
  /** The primary key of its row. */
  readonly row: string
}

/** `key` is the primary key of the row, in its order. */
export const cellOf = (column: SealedColumn, ...key: ReadonlyArray<KeyPart>): SealedCell => ({
  column,
  row: key.map((part) => part instanceof Uint8Array ? Buffer.from(part).toString("hex") : String(part)).join(" ")
})
