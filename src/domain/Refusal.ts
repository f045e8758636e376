/** Why settings were refused. */

/** `path` is dotted; null where the whole is meant. */
export interface Refusal {
  readonly path: string | null
  readonly message: string
  readonly hint?: string
}
