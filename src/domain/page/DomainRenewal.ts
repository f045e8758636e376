/** The outcome of the daily check of a verified domain's DNS. */
import { Data, Duration } from "effect"
import type { DomainVerdict } from "./PageDomain.ts"

/** How often DNS is asked about a verified domain. */
export const renewEvery = Duration.days(1)

/** The pause after a look that says nothing: DNS did not answer, or not for others either. */
export const doubtPause = Duration.hours(1)

/** Failures in a row after which a domain is lost. */
const mostFailures = 3

export type Renewal = Data.TaggedEnum<{
  Kept: object
  /** Nothing was learned. */
  Doubted: object
  /** `failures` in a row, with `left` more days until the domain is lost. The first is the one that people are warned of. */
  Failed: { readonly failures: number; readonly left: number }
  Lost: object
}>
export const Renewal = Data.taggedEnum<Renewal>()

/** `answersOthers`: whether the resolver found the records of another domain, or else of the service, in the same run. */
export const renewalOf = (verdict: DomainVerdict, before: number, answersOthers: boolean): Renewal => {
  if (verdict._tag === "Proved" || verdict._tag === "Pointed") return Renewal.Kept()
  if (verdict._tag === "Unknown" || !answersOthers) return Renewal.Doubted()
  const failures = before + 1
  return failures >= mostFailures
    ? Renewal.Lost()
    : Renewal.Failed({ failures, left: mostFailures - failures })
}
