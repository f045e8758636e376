/** The browser of someone who signs in, as plain data. */
export interface Visitor {
  /** The session that the browser has already; undefined without one. */
  readonly sessionToken: string | undefined
  /** The client's address as limits count it; for IPv6 its /64 network. */
  readonly ip: string
  readonly userAgent: string | null
}
