/** The browser of a person who is signing in, as plain data. */
export interface Visitor {
  /** The browser's existing session; undefined without one. */
  readonly sessionToken: string | undefined
  /** The client's address for rate limits; for IPv6, its /64 network. */
  readonly ip: string
  readonly userAgent: string | null
}
