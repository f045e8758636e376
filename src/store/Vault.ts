/** Encrypts values that must be readable again (signing secrets, headers, bodies) before they are stored. */
import { Context, Data, Effect, Either, Layer, Redacted } from "effect"
import { hash, randomBytes } from "node:crypto"
import { open, seal, sealedPrefix, type SecretKeys, secretKeys } from "../domain/tools/Sealed.ts"
import { framed } from "../domain/tools/SealedBytes.ts"
import type { SealedPlace } from "./SealedColumns.ts"

/** The secrets of a deployment: the present one seals, and the previous one still opens what it has sealed. */
export interface DeploymentSecrets {
  readonly present: Redacted.Redacted
  readonly previous: Redacted.Redacted | null
}

/** None of the secrets has sealed the value for its place, or it was modified. */
class Unopened extends Data.TaggedError("Unopened")<{ readonly message: string }> {}

export class Vault extends Context.Tag("belltower/Vault")<Vault, {
  readonly seal: (place: SealedPlace, text: string) => Effect.Effect<string>
  /** Dies when the value was sealed with a different deployment secret, or for another row. */
  readonly unseal: (place: SealedPlace, sealed: string) => Effect.Effect<string>
  /** The same without a fiber, for what is done tens of thousands of times. */
  readonly unsealed: (place: SealedPlace, sealed: string) => Either.Either<string, Unopened>
  /** The keys of the secret that sealed a value; null if it is none of this deployment's. */
  readonly openerOf: (place: SealedPlace, sealed: string) => SecretKeys | null
  /** The beginning of what the present secret seals. */
  readonly prefix: string
}>() {
  static readonly layer = (present: Redacted.Redacted, previous: Redacted.Redacted | null = null): Layer.Layer<Vault> =>
    Layer.sync(Vault, () => {
      const keys = secretKeys(Redacted.value(present))
      const all = previous === null ? [keys] : [keys, secretKeys(Redacted.value(previous))]
      const about = ({ column, row }: SealedPlace) => framed(column, row)
      const unsealed = (place: SealedPlace, sealed: string): Either.Either<string, Unopened> => {
        for (const one of all) {
          const text = open(one, about(place), sealed)
          if (text !== null) return Either.right(text)
        }
        return Either.left(
          new Unopened({ message: `${place.column} of row ${place.row} was sealed with another BELLTOWER_SECRET, or modified` })
        )
      }
      return {
        seal: (place, text) => Effect.sync(() => seal(keys, randomBytes(12), about(place), text)),
        unseal: (place, sealed) => Effect.suspend(() => Effect.orDie(unsealed(place, sealed))),
        unsealed,
        openerOf: (place, sealed) => all.find((one) => open(one, about(place), sealed) !== null) ?? null,
        prefix: sealedPrefix(keys)
      }
    })
}

/** The SHA-256 that tokens are stored and looked up by. The token itself is not stored. */
export const tokenHash = (token: string): Buffer => hash("sha256", token, "buffer")
