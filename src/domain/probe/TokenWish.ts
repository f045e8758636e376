/** The arguments of `belltower probe-token`: `<region> [--uses <n>] [--days <d>]`. */
import { Either, Schema } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { usageOf } from "../program/CommandHelp.ts"

interface TokenWish {
  readonly region: RegionId
  /** How many probes may enrol with it. */
  readonly uses: number
  /** How long it is valid. */
  readonly days: number
}

const usage = usageOf("probe-token")

const limits = { "--uses": 1000, "--days": 365 }

const isRegion = Schema.is(RegionId)

/** Once and within a day unless the words say otherwise. Left: what is wrong. */
export const readTokenWish = ([region, ...options]: ReadonlyArray<string>): Either.Either<TokenWish, string> => {
  const found = { "--uses": 1, "--days": 1 }
  for (let at = 0; at < options.length; at += 2) {
    const [name, text = ""] = options.slice(at)
    if (name !== "--uses" && name !== "--days") return Either.left(usage)
    const value = Number(text)
    if (!/^\d{1,4}$/.test(text) || value < 1 || value > limits[name]) return Either.left(usage)
    found[name] = value
  }
  if (region === undefined) return Either.left(usage)
  return isRegion(region)
    ? Either.right({ region, uses: found["--uses"], days: found["--days"] })
    : Either.left(`"${region}" is not the name of a region: use 1 to 40 lowercase letters, digits and hyphens`)
}
