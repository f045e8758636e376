/** Encrypts values that must be readable again (signing secrets, headers, bodies) before they are stored. */
import { Context, Data, Effect, Either, Layer, Redacted } from "effect"
import { hash, randomBytes } from "node:crypto"
import { open, seal, sealedPrefix, type SecretKeys, secretKeys } from "../domain/tools/Sealed.ts"
import { framed } from "../domain/tools/SealedBytes.ts"
import type { SealedCell } from "./SealedColumns.ts"

/** The secrets of a deployment: the present one seals, and the previous one still opens what it has sealed. */
export interface DeploymentSecrets {
  readonly present: Redacted.Redacted
  readonly previous: Redacted.Redacted | null
}

/** None of the secrets has sealed the value for its cell, or it was modified. */
class Unopened extends Data.TaggedError("Unopened")<{ readonly message: string }> {}

export class Vault extends Context.Tag("belltower/Vault")<Vault, {
  readonly seal: (cell: SealedCell, text: string) => Effect.Effect<string>
  /** Dies when the value was sealed with a different deployment secret, or for another row. */
  readonly unseal: (cell: SealedCell, sealed: string) => Effect.Effect<string>
  /** The same without a fiber, for what is done tens of thousands of times. */
  readonly unsealed: (cell: SealedCell, sealed: string) => Either.Either<string, Unopened>
  /** The keys of the secret that sealed a value; null if it is none of this deployment's. */
  readonly openerOf: (cell: SealedCell, sealed: string) => SecretKeys | null
  /** The beginning of what the present secret seals. */
  readonly prefix: string
}>() {
  static readonly layer = (present: Redacted.Redacted, previous: Redacted.Redacted | null = null): Layer.Layer<Vault> =>
    Layer.sync(Vault, () => {
      const keys = secretKeys(Redacted.value(present))
      const all = previous === null ? [keys] : [keys, secretKeys(Redacted.value(previous))]
      const about = ({ column, row }: SealedCell) => framed(column, row)
      const unsealed = (cell: SealedCell, sealed: string): Either.Either<string, Unopened> => {
        for (const one of all) {
          const text = open(one, about(cell), sealed)
          if (text !== null) return Either.right(text)
        }
        return Either.left(
          new Unopened({ message: `${cell.column} of row ${cell.row} was sealed with another BELLTOWER_SECRET, or modified` })
        )
      }
      return {
        seal: (cell, text) => Effect.sync(() => seal(keys, randomBytes(12), about(cell), text)),
        unseal: (cell, sealed) => Effect.suspend(() => Effect.orDie(unsealed(cell, sealed))),
        unsealed,
        openerOf: (cell, sealed) => all.find((one) => open(one, about(cell), sealed) !== null) ?? null,
        prefix: sealedPrefix(keys)
      }
    })
}

/** The SHA-256 that tokens are stored and looked up by. The token itself is not stored. */
export const tokenHash = (token: string): Buffer => hash("sha256", token, "buffer")
