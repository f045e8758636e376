/** The differences between two checks of a monitor: in their facts and in their evidence. */
import type { Check, Evidence } from "../../../schema/check/Check.ts"
import type { Change } from "../../../schema/monitor/Explanation.ts"
import { cut } from "../tools/text/TrimText.ts"

/** Characters of a value that are shown. */
const longest = 200

/** The most changes in the result. */
const most = 20

/** Headers that say which server, cache or version answered. Others differ in every response. */
const tellingHeaders = [
  "server",
  "via",
  "x-powered-by",
  "x-cache",
  "cf-cache-status",
  "content-type",
  "content-encoding",
  "location"
]

/** A latency is a change if it is this many times the other and more than 100 ms apart. */
const slower = 3

type Facts = ReadonlyMap<string, string>

/** Without those that are missing. */
const factsOf = (facts: ReadonlyArray<readonly [name: string, value: string | null | undefined]>): Facts =>
  new Map(facts.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value] as const])))

const evidenceFacts = ({ assertions, certificate, dns, redirects, remoteAddress, responseHeaders }: Evidence): Facts => {
  const headers = new Map(Object.entries(responseHeaders).map(([name, value]) => [name.toLowerCase(), value]))
  return factsOf([
    ["remoteAddress", remoteAddress],
    ["redirects", redirects.length === 0 ? null : redirects.map(({ statusCode, url }) => `${statusCode} ${url}`).join(", ")],
    ["certificate", certificate?.fingerprint256],
    ["certificate issuer", certificate?.issuer],
    ["certificate validTo", certificate?.validTo],
    ["dns rcode", dns === undefined ? null : dns.rcode ?? "none"],
    ["dns answers", dns?.answers.map(({ type, value }) => `${type} ${value}`).sort().join(", ")],
    ...assertions.filter(({ passed }) => !passed).map(({ actual, index }) => [`assertion ${index}`, actual ?? "absent"] as const),
    ...tellingHeaders.map((name) => [`header ${name}`, headers.get(name)] as const)
  ])
}

const checkFacts = ({ cause, region, statusCode }: Check): Facts =>
  factsOf([["region", region], ["statusCode", statusCode === null ? null : String(statusCode)], ["cause", cause]])

const differences = (before: Facts, now: Facts): ReadonlyArray<Change> =>
  [...new Set([...before.keys(), ...now.keys()])].flatMap((what) => {
    const [old, current] = [before.get(what) ?? null, now.get(what) ?? null]
    return old === current
      ? []
      : [{ what, before: old === null ? null : cut(old, longest), now: current === null ? null : cut(current, longest) }]
  })

const latencyChange = (before: number | null, now: number | null): ReadonlyArray<Change> => {
  if (before === null || now === null || Math.abs(now - before) <= 100) return []
  const isOther = now > before * slower || before > now * slower
  return isOther ? [{ what: "latencyMs", before: String(Math.round(before)), now: String(Math.round(now)) }] : []
}

/** Facts first, then what the evidence shows if both checks have any. */
export const checkChanges = (before: Check, now: Check): ReadonlyArray<Change> =>
  [
    ...differences(checkFacts(before), checkFacts(now)),
    ...latencyChange(before.latencyMs, now.latencyMs),
    ...(before.evidence === null || now.evidence === null
      ? []
      : differences(evidenceFacts(before.evidence), evidenceFacts(now.evidence)))
  ].slice(0, most)
