/** The host of a check's target, as the per-host rate limit counts it. */

/** The address fields of a target: every check kind has one of them. */
interface Addressed {
  readonly url?: string
  readonly host?: string
}

/** The lower-case host name; empty if the target has no host. */
export const hostOf = ({ host, url }: Addressed): string =>
  host !== undefined ? host.toLowerCase() : url !== undefined && URL.canParse(url) ? new URL(url).hostname : ""
