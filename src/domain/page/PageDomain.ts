/** The proof by DNS that a custom domain belongs to a page. */
import type { PageDns } from "../../../schema/page/Page.ts"

const txtPrefix = "belltower-page="

/** The name of a page below the service's host. It has the page's id, because slugs change hands. */
const labelOf = (pageId: string): string => pageId.replaceAll("_", "-").toLowerCase()

const isLabel = (text: string): boolean => /^pg-[0-9a-z]+$/.test(text)

/** The target of custom domains by default: each page to a name of its own, unless the host is an address or a local name. */
export const targetBelow = (host: string): string => /^[\d.]+$|(?:^|\.)localhost$|^[^.]+$/.test(host) ? host : `*.${host}`

/** The host of a target without a page's name. */
export const targetHost = (target: string): string => target.replace(/^\*\./, "")

/** The records that verify the domain. `target` is a host name, or `*.` before one: the page's name then stands for the star. */
export const pageDns = (pageId: string, customDomain: string | null, target: string): PageDns => ({
  value: target.startsWith("*.") ? `${labelOf(pageId)}${target.slice(1)}` : target,
  txtName: customDomain === null ? null : `_belltower.${customDomain}`,
  txtValue: `${txtPrefix}${pageId}`
})

/** The DNS records. Lists are empty where a name has no such record. */
export interface DomainAnswers {
  readonly cnames: ReadonlyArray<string>
  readonly addresses: ReadonlyArray<string>
  /** The addresses of the target and of its host. */
  readonly targetAddresses: ReadonlyArray<string>
  /** The TXT records of `txtName`. */
  readonly texts: ReadonlyArray<string>
  /** False if the query for `texts` got no answer, so that a claim may be missing. */
  readonly hasTexts: boolean
  /** True if the target has no address, and its host has one: the installation lacks a DNS record. */
  readonly lacksTarget: boolean
  /** True if a query got no answer, so that a missing record means nothing. */
  readonly incomplete: boolean
}

/**
 * `held`: the page has verified the domain. `open`: no page has ever, or another one holds it. `spent`: it was verified once and
 * is not any more, or the operator keeps it, so records without the page's name, and older ones with it, may be anybody's.
 */
export type DomainStanding = "held" | "open" | "spent"

/**
 * `Proved`: a record names this page. `Pointed`: the domain points to this service. (Specification: Status pages, Domain
 * verification.)
 */
export type DomainVerdict =
  | { readonly _tag: "Proved" }
  | { readonly _tag: "Pointed" }
  | { readonly _tag: "Unknown"; readonly reason: string }
  | { readonly _tag: "Refused"; readonly reason: string }

/** DNS ignores case and a final dot. */
const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, "")

const refused = (reason: string): DomainVerdict => ({ _tag: "Refused", reason })

/** How the domain's records lead here: by a name of this page, of another one, or without any. */
const pointing = (
  dns: PageDns,
  { addresses, cnames, targetAddresses }: DomainAnswers
): "page" | "other" | "service" | "elsewhere" => {
  const label = `${labelOf(dns.txtValue.slice(txtPrefix.length))}.`
  const isNamed = dns.value.startsWith(label)
  const host = isNamed ? dns.value.slice(label.length) : dns.value
  const names = cnames.map(plainName)
  if (isNamed && names.includes(dns.value)) return "page"
  if (names.some((name) => name.endsWith(`.${host}`) && isLabel(name.slice(0, -host.length - 1)))) return "other"
  const targets = new Set(targetAddresses)
  return names.includes(host) || (addresses.length > 0 && addresses.every((address) => targets.has(address)))
    ? "service"
    : "elsewhere"
}

/** The verdict on the domain's records, for a page that wants it or has it. */
export const domainVerdict = (
  customDomain: string,
  dns: PageDns,
  answers: DomainAnswers,
  standing: DomainStanding = "open"
): DomainVerdict => {
  const claims = answers.texts.map((text) => text.trim()).filter((text) => text.startsWith(txtPrefix))
  if (claims.includes(dns.txtValue)) return { _tag: "Proved" }
  if (claims.length > 0) return refused(`The TXT record ${dns.txtName} names another page. Set it to ${dns.txtValue}`)
  const wanted = `Add the record ${customDomain} CNAME ${dns.value}`
  const leads = pointing(dns, answers)
  if (leads === "other") return refused(`${customDomain} is a CNAME of another page's name. ${wanted}`)
  const silent: DomainVerdict = { _tag: "Unknown", reason: `DNS did not answer for ${customDomain}. Try again in a minute` }
  if (leads !== "elsewhere") {
    if (standing === "held") return { _tag: "Pointed" }
    if (!answers.hasTexts) return silent
    if (standing === "open") return { _tag: leads === "page" ? "Proved" : "Pointed" }
    return refused(
      `${customDomain} was verified before or is reserved, so it needs the TXT record. Add ${dns.txtName} TXT ${dns.txtValue}`
    )
  }
  if (answers.incomplete) return silent
  const found = [...answers.cnames, ...answers.addresses]
  return refused(
    found.length === 0
      ? `DNS has no CNAME or address record for ${customDomain}. ${wanted}`
      : `${customDomain} points to ${found.slice(0, 3).join(", ")}. ${wanted}`
  )
}
