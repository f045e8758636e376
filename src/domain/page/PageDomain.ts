/** The proof by DNS that a custom domain belongs to a page. */
import type { PageDns } from "../../../schema/page/Page.ts"

const txtPrefix = "belltower-page="

/** The records that verify the domain. `target` is the host name of this service. */
export const pageDns = (pageId: string, customDomain: string | null, target: string): PageDns => ({
  value: target,
  txtName: customDomain === null ? null : `_belltower.${customDomain}`,
  txtValue: `${txtPrefix}${pageId}`
})

/** The DNS records. Lists are empty where a name has no such record. */
export interface DomainAnswers {
  readonly cnames: ReadonlyArray<string>
  readonly addresses: ReadonlyArray<string>
  readonly targetAddresses: ReadonlyArray<string>
  /** The TXT records of `txtName`. */
  readonly texts: ReadonlyArray<string>
  /** True if a query got no answer, so that a missing record means nothing. */
  readonly incomplete: boolean
}

/**
 * `Proved`: a TXT record names this page. `Pointed`: the domain points to this service. (Specification: Status pages, Domain
 * verification.)
 */
export type DomainVerdict =
  | { readonly _tag: "Proved" }
  | { readonly _tag: "Pointed" }
  | { readonly _tag: "Unknown"; readonly reason: string }
  | { readonly _tag: "Refused"; readonly reason: string }

/** DNS ignores case and a final dot. */
const sameName = (one: string, other: string): boolean => one.toLowerCase().replace(/\.$/, "") === other.toLowerCase()

export const domainVerdict = (customDomain: string, dns: PageDns, answers: DomainAnswers): DomainVerdict => {
  const claims = answers.texts.map((text) => text.trim()).filter((text) => text.startsWith(txtPrefix))
  if (claims.includes(dns.txtValue)) return { _tag: "Proved" }
  if (claims.length > 0) {
    return { _tag: "Refused", reason: `The TXT record ${dns.txtName} names another page. Set it to ${dns.txtValue}` }
  }
  const targets = new Set(answers.targetAddresses)
  const pointsHere = answers.cnames.some((name) => sameName(name, dns.value)) ||
    (answers.addresses.length > 0 && answers.addresses.every((address) => targets.has(address)))
  if (pointsHere) return { _tag: "Pointed" }
  const wanted = `Add the record ${customDomain} CNAME ${dns.value}`
  if (answers.incomplete) return { _tag: "Unknown", reason: `DNS did not answer for ${customDomain}. Try again in a minute` }
  const found = [...answers.cnames, ...answers.addresses]
  return {
    _tag: "Refused",
    reason: found.length === 0
      ? `DNS has no CNAME or address record for ${customDomain}. ${wanted}`
      : `${customDomain} points to ${found.slice(0, 3).join(", ")}. ${wanted}`
  }
}
