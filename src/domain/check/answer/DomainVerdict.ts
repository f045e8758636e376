/** Judges a registration, or the lack of one, for a domain monitor. */
import type { DomainTarget } from "../../../../schema/monitor/kinds/domain.ts"
import type { Registration } from "./RdapAnswer.ts"
import { failing, unasked, type Verdict, verdictOf } from "./Verdict.ts"

const day = 86_400_000

/** The result of the query to the registry. `Unknown`: it failed, for this reason. */
export type DomainAnswer =
  | { readonly _tag: "Registered"; readonly registration: Registration }
  | { readonly _tag: "NotRegistered" }
  | { readonly _tag: "Unknown"; readonly reason: string }

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The registry takes the domain away unless its owner acts (RFC 3915). */
const isLapsing = (status: string): boolean => status === "redemption period" || status === "pending delete"

/** A registry that cannot be asked says nothing of the domain, which need not be down. */
export const judgeDomain = ({ expiryDays, host }: DomainTarget, answer: DomainAnswer, now: number): Verdict => {
  if (answer._tag === "Unknown") return unasked("domain_unknown", `The expiry of ${host} is not known: ${answer.reason}`)
  if (answer._tag === "NotRegistered") {
    return failing("domain_expired", `${host} is not registered, or is not the name that was registered, such as example.com`)
  }
  const { expiresAt, status } = answer.registration
  const lapsing = status.find(isLapsing)
  if (lapsing !== undefined) return failing("domain_expired", `The registration of ${host} has lapsed (${lapsing})`)
  if (expiresAt === null) return unasked("domain_unknown", `The registry does not publish when ${host} expires`)
  const daysLeft = Math.floor((expiresAt - now) / day)
  if (expiresAt <= now) return failing("domain_expired", `The registration of ${host} expired on ${dateOf(expiresAt)}`)
  const error = `The registration of ${host} expires on ${
    dateOf(expiresAt)
  }, in ${daysLeft} days; expected more than ${expiryDays}`
  return verdictOf([expiresAt - now <= expiryDays * day ? { severity: "degraded", cause: "domain_expiry", error } : null])
}
