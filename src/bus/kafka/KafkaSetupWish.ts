/** The arguments of `belltower kafka-setup`: `[--region <region>[=<principal>]]... [--servers <principal>] ...`. */
import { Either, Schema } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { usageOf } from "../../domain/program/CommandHelp.ts"

export interface KafkaSetupWish {
  /** The regions, each with the principal of its probes at the brokers; null for a user that is made. */
  readonly regions: ReadonlyMap<RegionId, string | null>
  /** The principal of the servers; null for a user that is made. */
  readonly servers: string | null
  /** Users that exist get new passwords, too. */
  readonly newPasswords: boolean
  /** Shows topics and access without a connection. */
  readonly isPrinted: boolean
}

const usage = usageOf("kafka-setup")

const isRegion = Schema.is(RegionId)

/** A principal of Kafka, for example of a certificate: `User:CN=probes-eu,O=Acme`. */
const isPrincipal = (text: string): boolean => /^[A-Za-z]+:\S.*$/.test(text)

const badPrincipal = (text: string) =>
  Either.left(`"${text}" is not a principal. Write it as the brokers name it, for example User:CN=probes-eu`)

const readRegion = (text: string): Either.Either<readonly [RegionId, string | null], string> => {
  const at = text.indexOf("=")
  const [region, principal] = at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)]
  if (!isRegion(region)) {
    return Either.left(`"${region}" is not the name of a region: use 1 to 40 lowercase letters, digits and hyphens`)
  }
  return principal === null || isPrincipal(principal) ? Either.right([region, principal]) : badPrincipal(principal)
}

/** Left: what is wrong with the words. */
export const readKafkaSetupWish = (words: ReadonlyArray<string>): Either.Either<KafkaSetupWish, string> =>
  Either.gen(function*() {
    const regions = new Map<RegionId, string | null>()
    let servers: string | null = null
    const flags = new Set<string>()
    const rest = [...words]
    for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
      if (word === "--new-passwords" || word === "--print") {
        flags.add(word)
        continue
      }
      const value = rest.shift()
      if (value === undefined || (word !== "--region" && word !== "--servers")) return yield* Either.left(usage)
      if (word === "--region") regions.set(...(yield* readRegion(value)))
      else servers = isPrincipal(value) ? value : yield* badPrincipal(value)
    }
    return { regions, servers, newPasswords: flags.has("--new-passwords"), isPrinted: flags.has("--print") }
  })
