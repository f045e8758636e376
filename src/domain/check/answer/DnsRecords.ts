/** The values of DNS records as text, and which of the expected ones are missing. */
import ipaddr from "ipaddr.js"
import type { DnsRecordType } from "../../../../schema/monitor/kinds/dns.ts"

/** Names in DNS ignore case, and their final dot is optional. */
const name = (text: string): string => text.trim().replace(/\.$/, "").toLowerCase()

const address = (text: string): string => (ipaddr.isValid(text.trim()) ? ipaddr.parse(text.trim()).toNormalizedString() : text)

/** A value in a form in which equal values are equal texts. */
const canonical: Readonly<Record<DnsRecordType, (value: string) => string>> = {
  A: address,
  AAAA: address,
  CNAME: name,
  NS: name,
  MX: name,
  // Zone files and tools show texts in quotes.
  TXT: (value) => value.replace(/^"(.*)"$/s, "$1")
}

/** An MX record meets its host alone, too: `10 mail.example.com` or `mail.example.com`. */
const meets = (type: DnsRecordType, value: string, expected: string): boolean => {
  const found = canonical[type](value)
  const wanted = canonical[type](expected).replace(/^(\d{1,5})\s+(?=\S)/, type === "MX" ? "$1 " : "$&")
  return found === wanted || (type === "MX" && found.replace(/^\d+ /, "") === wanted)
}

/** The expected values that are not among the records. */
export const missingValues = (
  type: DnsRecordType,
  values: ReadonlyArray<string>,
  expected: ReadonlyArray<string>
): ReadonlyArray<string> => expected.filter((one) => !values.some((value) => meets(type, value, one)))

/** Why a record of this type can never have the value, or null. */
export const expectedProblem = (type: DnsRecordType, value: string): string | null => {
  if (value.trim() === "") return "An expected value must not be empty"
  if (type === "A" && !ipaddr.IPv4.isValidFourPartDecimal(value.trim())) return `"${value}" is not an IPv4 address`
  if (type === "AAAA" && !ipaddr.IPv6.isValid(value.trim())) return `"${value}" is not an IPv6 address`
  return null
}

/** Response codes (RFC 1035, section 4.1.1; RFC 2136, section 2.2). */
const codes = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"] as const

/** The name of a response code. */
export const rcodeName = (code: number): string => codes[code] ?? `RCODE ${code}`
