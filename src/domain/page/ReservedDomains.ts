/** The domains that the operator keeps: a page gets one only by its TXT record, because they may lead here anyway. */

const isWithin = (name: string, parent: string): boolean => name === parent || name.endsWith(`.${parent}`)

/**
 * True for the service's host, all below it and each name that it is below, and for the operator's other names (`name` or `*.name`)
 * with all below them.
 */
export const isReservedDomain = (domain: string, host: string, names: ReadonlyArray<string>): boolean =>
  isWithin(domain, host) || isWithin(host, domain) ||
  names.some((name) => isWithin(domain, name.toLowerCase().replace(/^\*\./, "")))
