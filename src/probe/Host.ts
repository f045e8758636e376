/** The host that a check goes to, as the limit per host counts it. */

/** Where a target is, in the forms that targets have. */
interface Addressed {
  readonly url?: string
  readonly host?: string
}

/** Empty where the target names no host. */
export const hostOf = ({ host, url }: Addressed): string =>
  host !== undefined ? host.toLowerCase() : url !== undefined && URL.canParse(url) ? new URL(url).hostname : ""
