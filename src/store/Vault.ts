/** Encrypts values that must be readable again (signing secrets, headers, bodies) before they are stored. */
import { Context, Effect, Either, Layer, Redacted } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { hashingKey, keyedHash, seal, sealingKey, unseal } from "../domain/tools/Sealed.ts"

export class Vault extends Context.Tag("belltower/Vault")<Vault, {
  readonly seal: (text: string) => Effect.Effect<string>
  /** Dies when the value was sealed with a different deployment secret. */
  readonly unseal: (sealed: string) => Effect.Effect<string>
  /** The same without a fiber, for what is done tens of thousands of times. */
  readonly unsealed: (sealed: string) => Either.Either<string, unknown>
  /** To find equal sealed texts without opening them. */
  readonly hash: (text: string) => Buffer
}>() {
  static readonly layer = (secret: Redacted.Redacted): Layer.Layer<Vault> =>
    Layer.sync(Vault, () => {
      const key = sealingKey(Redacted.value(secret))
      const keyOfHashes = hashingKey(Redacted.value(secret))
      return {
        seal: (text) => Effect.sync(() => seal(key, randomBytes(12), text)),
        unseal: (sealed) => Effect.sync(() => unseal(key, sealed)),
        unsealed: (sealed) => Either.try(() => unseal(key, sealed)),
        hash: (text) => keyedHash(keyOfHashes, text)
      }
    })
}

/** The SHA-256 that tokens are stored and looked up by. The token itself is not stored. */
export const tokenHash = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest()
