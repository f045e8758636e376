/** The host that a check goes to, as the limit per host counts it. */
import type { Assignment } from "../../schema/check/Bus.ts"

/** Where a target is, in the forms that targets have. */
interface Addressed {
  readonly url?: string
  readonly host?: string
}

const read = ({ host, url }: Addressed): string =>
  host !== undefined ? host.toLowerCase() : url !== undefined && URL.canParse(url) ? new URL(url).hostname : ""

const hosts = new WeakMap<Assignment, string>()

/** Read once for each assignment; empty where the target names no host. */
export const hostOf = (assignment: Assignment): string => {
  const known = hosts.get(assignment)
  if (known !== undefined) return known
  const host = read(assignment.target)
  hosts.set(assignment, host)
  return host
}
