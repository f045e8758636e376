/** Reads the DNS records by which custom domains are verified. */
import { Context, Effect } from "effect"
import { Resolver } from "node:dns"
import { isIP } from "node:net"
import type { DomainAnswers } from "../domain/page/PageDomain.ts"

/** The name servers to ask, as `address` or `address:port`; null for those of the system. */
export class NameServers extends Context.Reference<NameServers>()("belltower/NameServers", {
  defaultValue: (): ReadonlyArray<string> | null => null
}) {}

interface Answer {
  readonly values: ReadonlyArray<string>
  /** False if DNS gave no answer; true also if it said that there is no such record. */
  readonly answered: boolean
}

/** DNS said that the name or the record does not exist (Node's `dns.NOTFOUND` and `dns.NODATA`). */
const isAbsence = (error: NodeJS.ErrnoException): boolean => error.code === "ENOTFOUND" || error.code === "ENODATA"

type Done<A> = (error: NodeJS.ErrnoException | null, values: A) => void

const asked = <A extends string | ReadonlyArray<string>>(ask: (done: Done<ReadonlyArray<A>>) => void): Effect.Effect<Answer> =>
  Effect.async((resume) =>
    ask((error, values) =>
      resume(Effect.succeed(
        error === null
          ? { values: values.map((value) => typeof value === "string" ? value : value.join("")), answered: true }
          : { values: [], answered: isAbsence(error) }
      ))
    )
  )

interface DomainQuestion {
  readonly domain: string
  readonly txtName: string
  readonly target: string
  /** Another name of this service, whose addresses count like those of the target. */
  readonly host?: string
}

const noAnswer: Answer = { values: [], answered: true }

/** Asks for the domain's CNAME, address and TXT records, and for the addresses of this service's host. Never fails. */
export const readDomain = Effect.fn("DomainRecords.read")(function*({ domain, host = "", target, txtName }: DomainQuestion) {
  const servers = yield* NameServers
  // A fresh resolver sees the name servers that the machine has now.
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  if (servers !== null) resolver.setServers(servers)
  const addressesOf = (host: string) =>
    isIP(host) !== 0 ? Effect.succeed<Answer>({ values: [host], answered: true }) : Effect.zipWith(
      asked<string>((done) => resolver.resolve4(host, done)),
      asked<string>((done) => resolver.resolve6(host, done)),
      (v4, v6): Answer => ({ values: [...v4.values, ...v6.values], answered: v4.answered && v6.answered }),
      { concurrent: true }
    )
  const [cnames, addresses, targetAddresses, hostAddresses, texts] = yield* Effect.all([
    asked<string>((done) => resolver.resolveCname(domain, done)),
    addressesOf(domain),
    addressesOf(target),
    host === "" || host === target ? Effect.succeed(noAnswer) : addressesOf(host),
    asked<ReadonlyArray<string>>((done) => resolver.resolveTxt(txtName, done))
  ], { concurrency: "unbounded" })
  const answers: DomainAnswers = {
    cnames: cnames.values,
    addresses: addresses.values,
    targetAddresses: [...targetAddresses.values, ...hostAddresses.values],
    texts: texts.values,
    hasTexts: texts.answered,
    lacksTarget: targetAddresses.answered && targetAddresses.values.length === 0 && hostAddresses.values.length > 0,
    incomplete: [cnames, addresses, targetAddresses, hostAddresses, texts].some(({ answered }) => !answered)
  }
  return answers
})
